// From a number to a task: a scenario of the execution split in a small universe, and its oracle, each made when it is first asked for.

import { APP_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { type Part as GeneratedPart, generateScenario } from '@projected-grpo-lab/are/generate/generate.ts';
import type { Split } from '@projected-grpo-lab/are/generate/template.ts';
import { Book } from '@projected-grpo-lab/are/language/book.ts';
import { type Dialect, FIRST, SECOND } from '@projected-grpo-lab/are/language/dialect.ts';
import { makeScenario } from '@projected-grpo-lab/are/scenario/import.ts';
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { type Oracle, playOracle } from '@projected-grpo-lab/are/verifier/oracle-run.ts';
import { promptOf } from '../../text/chatml.ts';
import { type AgentTask, MOST_COMPOSED_TURNS, MOST_TURNS, type Part } from './types.ts';

/** The world's own seed: which scenarios are trained on and asked. A run's seed does not touch them. */
export const DATA_SEED = 7;
/** Pretraining has scenarios of its own. */
export const PRETRAIN_SEED = 1009;
/** Small: results of searches stay short. */
export const UNIVERSE = { people: 4, mails: 3, occasions: 3, products: 3 };

/** Of composed forms: two things for two people, and somebody else. */
export const COMPOSED_UNIVERSE = { people: 5, mails: 4, occasions: 4, products: 4 };

const GENERATED: Readonly<Record<Part, GeneratedPart>> = {
  training: 'training',
  words: 'new words',
  templates: 'held out',
};

const COMPOSED: typeof GENERATED = {
  training: 'composed',
  words: 'composed new words',
  templates: 'composed held out',
};

export const dialectOf = ({ split }: Pick<AgentTask, 'split'>): Dialect => (split ? SECOND : FIRST);
export const mostTurnsOf = ({ split }: Pick<AgentTask, 'split'>): number => (split ? MOST_COMPOSED_TURNS : MOST_TURNS);

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

export const generatedOf = ({ split, part, seed, index }: Pick<AgentTask, 'split' | 'part' | 'seed' | 'index'>) =>
  split
    ? generateScenario({ split, seed, index, part: COMPOSED[part], size: COMPOSED_UNIVERSE })
    : generateScenario({ split: 'execution', seed, index, part: GENERATED[part], size: UNIVERSE });

/** @param split of a composed form; a template of the execution split where absent */
export function makeTask(part: Part, index: number, seed = DATA_SEED, split?: Split): AgentTask {
  const { trace, template } = generatedOf({ split, part, seed, index });
  const asked = trace.events.find(({ event_type }) => event_type === 'USER')?.action?.args?.[0]?.value;
  const kind = split ? template.id : template.id.replace('execution/', '');
  const prompt = promptOf(new Book(dialectOf({ split })).marked(String(asked)));
  const id = `${split ? `${split}/` : ''}${part}/${seed}/${index}`;
  return { id, kind, part, seed, index, prompt, ...(split && { split }) };
}

/** The first `count` of a part; templates take turns. */
export const tasksOf = (part: Part, count: number, seed = DATA_SEED): AgentTask[] =>
  Array.from({ length: count }, (_, index) => makeTask(part, index, seed));
