// Opens and plays a link, like a user who presses Play below its contents.
import type { Are } from '../are.ts';

export async function playLink(are: Are, address: string): Promise<void> {
  await are.openLink(address);
  await are.acceptOffer();
}
