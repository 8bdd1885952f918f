// Sampled replies of several characters to the same prompts, before and after training, for the page's first screen, which shows in words what
// the charts show as probabilities.
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import type { CharacterWorld } from '../../environments/characters/data.ts';
import {
  type CharacterTask,
  characterDynamics,
  type GroupId,
  type Roles,
  taskOf,
} from '../../environments/characters/task.ts';
import type { Target } from '../../environments/characters/texts.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import type { ExperimentSpec } from '../config/spec.ts';
import { type RolloutPorts, rollOut } from '../step/rollouts.ts';
import { itemsOf } from './probe-set.ts';

/** Number of replies to each prompt, per character and model. */
export const REPLIES = 8;
/** Key of the untrained model; other models are keyed by their arm. */
export const BEFORE = 'base';
/** Most tokens of a reply: two words, two brackets, three items and the end. */
const LONGEST = 8;

interface ShownSpeaker {
  name: string;
  group: GroupId;
  /** The prompt's text, and the reply that A is taught. */
  prompts: readonly { prompt: string; wanted: string }[];
  /** Replies by model, then by prompt. */
  said: Readonly<Record<string, readonly (readonly string[])[]>>;
}

export interface ShownReplies {
  schema: 1;
  /** Spec of the run that trained the models. */
  spec: ExperimentSpec;
  seed: number;
  speakers: readonly ShownSpeaker[];
}

/** Path below `public/`. */
export const SHOWN_REPLIES_PATH = 'results/demo/characters.replies.json';

/** Tasks of A and of the first character most like it, on the items of the dose curves, which no arm trains on. */
export function shownTasks(world: CharacterWorld, roles: Roles, target: Target): CharacterTask[][] {
  const items = itemsOf(world, target);
  return [
    items.map((each) => taskOf(world, target, 'a', roles.a, each)),
    items.map((each) => taskOf(world, target, 'near', roles.near[0], each)),
  ];
}

/** Samples replies by task, at temperature 1, with the policy's current adapter parameters. */
export async function repliesOf(
  ports: Pick<RolloutPorts<CharacterTask, unknown>, 'policy' | 'codec'>,
  tasks: readonly CharacterTask[],
  seed: number,
): Promise<string[][]> {
  const episodes = tasks.flatMap((task) =>
    Array.from({ length: REPLIES }, (_, i) => ({
      task,
      key: () => keyFor(seed, STREAMS.evaluation, hash32(task.id), i),
    })),
  );
  const played = await rollOut({ ...ports, dynamics: characterDynamics }, episodes, {
    maxNew: LONGEST,
    maxTokens: LONGEST,
    maxTurns: 1,
    temperature: 1,
  });
  const texts = played.map(({ turns }) => (turns.at(-1)?.completion ?? '').trim());
  return tasks.map((_, i) => texts.slice(i * REPLIES, (i + 1) * REPLIES));
}

/** Null if it is not a file of replies. */
export function readShownReplies(json: unknown): ShownReplies | null {
  const file = json as ShownReplies | null;
  return file?.schema === 1 && Array.isArray(file.speakers) && file.speakers.length > 0 ? file : null;
}
