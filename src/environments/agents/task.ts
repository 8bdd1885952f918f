// From a number to a task: a scenario of the execution split in a small universe, and its oracle, each made when it is first asked for.
import { APP_CLASSES } from '../are/apps/registry.ts';
import { type Part as GeneratedPart, generateScenario } from '../are/generate/generate.ts';
import { Book } from '../are/language/book.ts';
import { makeScenario } from '../are/scenario/import.ts';
import type { Trace } from '../are/scenario/schema.ts';
import { type Oracle, playOracle } from '../are/verifier/oracle-run.ts';
import { said } from './prompt.ts';
import type { AgentTask, Part } from './types.ts';

/** The world's own seed: which scenarios are trained on and asked. A run's seed does not touch them. */
export const DATA_SEED = 7;
/** Pretraining has scenarios of its own. */
export const PRETRAIN_SEED = 1009;
/** Small: results of searches stay short. */
export const UNIVERSE = { people: 4, mails: 3, occasions: 3, products: 3 };

const GENERATED: Readonly<Record<Part, GeneratedPart>> = {
  training: 'training',
  words: 'new words',
  templates: 'held out',
};

export interface Staged {
  readonly trace: Trace;
  readonly oracle: Oracle;
}

const staged = new WeakMap<AgentTask, Staged>();

export function stagedOf(task: AgentTask): Staged {
  const kept = staged.get(task);
  if (kept) return kept;
  const { trace } = generatedOf(task);
  const made = { trace, oracle: playOracle(makeScenario(trace, APP_CLASSES)) };
  staged.set(task, made);
  return made;
}

export const generatedOf = ({ part, seed, index }: Pick<AgentTask, 'part' | 'seed' | 'index'>) =>
  generateScenario({ split: 'execution', seed, index, part: GENERATED[part], size: UNIVERSE });

export function makeTask(part: Part, index: number, seed = DATA_SEED): AgentTask {
  const { trace, template } = generatedOf({ part, seed, index });
  const asked = trace.events.find(({ event_type }) => event_type === 'USER')?.action?.args?.[0]?.value;
  const kind = template.id.replace('execution/', '');
  const prompt = said(new Book().marked(String(asked)));
  return { id: `${part}/${seed}/${index}`, kind, part, seed, index, prompt };
}

/** The first `count` of a part; templates take turns. */
export const tasksOf = (part: Part, count: number, seed = DATA_SEED): AgentTask[] =>
  Array.from({ length: count }, (_, index) => makeTask(part, index, seed));
