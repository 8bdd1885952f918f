// Every reader of outside data, and how its inputs are made and judged.
import { judge, type Reader, type Verdict } from './judge.ts';
import { Random } from './random.ts';
import { ARCHIVE_READERS } from './readers/archives.ts';
import { KEPT_READERS } from './readers/kept.ts';
import { LINK_READERS } from './readers/links.ts';
import { MODEL_READERS } from './readers/models.ts';
import { SCENARIO_READERS } from './readers/scenarios.ts';
import { TEXT_READERS } from './readers/texts.ts';
import { WEIGHT_READERS } from './readers/weights.ts';

export const READERS: readonly Reader[] = [
  ...WEIGHT_READERS,
  ...MODEL_READERS,
  ...TEXT_READERS,
  ...ARCHIVE_READERS,
  ...LINK_READERS,
  ...KEPT_READERS,
  ...SCENARIO_READERS,
];

/** The input of a seed, read. */
export async function judgeSeed(reader: Reader, seed: number): Promise<Verdict & { bytes: number }> {
  const input = await reader.make(new Random(seed, reader.name));
  return { ...(await judge(reader, input)), bytes: input.length };
}
