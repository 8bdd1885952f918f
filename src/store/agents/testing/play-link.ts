// Opens and plays a link, as a person does who presses Play at what it shows.
import type { Are } from '../are.ts';

export async function playLink(are: Are, address: string): Promise<void> {
  await are.openLink(address);
  await are.acceptOffer();
}
