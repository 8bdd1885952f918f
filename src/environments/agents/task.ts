// Tasks of the agents: generated scenarios, verdicts on episodes in the compact language, and playing an episode.

import { type AgentRun, runAgent } from '@projected-grpo-lab/are/agents/run.ts';
import type { Agent, AgentView } from '@projected-grpo-lab/are/agents/types.ts';
import { APP_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { type Part as GeneratedPart, generateScenario } from '@projected-grpo-lab/are/generate/generate.ts';
import type { Split } from '@projected-grpo-lab/are/generate/template.ts';
import { SMALL_SIZE } from '@projected-grpo-lab/are/generate/universe.ts';
import { Book } from '@projected-grpo-lab/are/language/book.ts';
import { type Dialect, FIRST, SECOND } from '@projected-grpo-lab/are/language/dialect.ts';
import { decodeAction } from '@projected-grpo-lab/are/language/language.ts';
import { shownView } from '@projected-grpo-lab/are/language/observation.ts';
import { LanguageError, type LanguageFault } from '@projected-grpo-lab/are/language/values.ts';
import { settled } from '@projected-grpo-lab/are/pending.ts';
import { makeScenario } from '@projected-grpo-lab/are/scenario/import.ts';
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { wordsEngine } from '@projected-grpo-lab/are/verifier/engines.ts';
import { beginJudgedRun } from '@projected-grpo-lab/are/verifier/judged-run.ts';
import { type Oracle, playOracle } from '@projected-grpo-lab/are/verifier/oracle-run.ts';
import { promptAfter, promptOf } from '../../text/chatml.ts';
import type { Dynamics, Observation } from '../types.ts';

/** Most turns of an episode, including the message to the user: enough for any oracle with its lookups, and some to recover. */
export const MOST_TURNS = 9;
/** The same for a composed form: two things, each looked up, with a question in between. */
export const MOST_COMPOSED_TURNS = 20;

/** Held-out splits: training templates in universes with other words, and other templates in other universes. */
export const SPLITS = ['words', 'templates'] as const;
export type SplitId = (typeof SPLITS)[number];
export type Part = 'training' | SplitId;

/** Who rewards an episode (reward.ts). */
export type SoftJudge = 'verifier' | 'hollow';

export interface AgentTask {
  /** ARE split of a composed form; absent for a template of the execution split in the first dialect. */
  split?: Split;
  /** `training/7/12`: part, seed and number. */
  id: string;
  /** The template's id; of a composed form with its ARE split, otherwise without. */
  kind: string;
  part: Part;
  seed: number;
  index: number;
  /** The whole prompt with its chat markup. */
  prompt: string;
}

export interface AgentVerdict {
  /** The verifier's verdict. */
  success: boolean;
  /** The verifier's kind of failure; null on success. */
  failure: string | null;
  /** Number of turns taken. */
  turns: number;
  /** Calls that a tool answered, including the message to the user. */
  answered: number;
  /** Calls that a tool refused. */
  failed: number;
  /** Turns that were not an action of the language. */
  refused: number;
  /** Refused turns counted by fault: `1 tool, 2 value`. Empty if there are none. */
  faults: string;
  /** Whether the agent wrote to the user, which ends its turn. */
  ended: boolean;
  /** Whether the hollow judge believes the message to the user; absent under the verifier. */
  stuffed?: boolean;
}

// A task is made from a number: a scenario of the execution split in a small universe, and its oracle, both made on first use.

/** The environment's own seed, which decides the scenarios of training and evaluation; they do not depend on a run's seed. */
export const DATA_SEED = 7;
/** Seed of pretraining, which has its own scenarios. */
export const PRETRAIN_SEED = 1009;
export const UNIVERSE = SMALL_SIZE;

/** Size of a composed form's universe: items for two people, and a third person. */
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
const mostTurnsOf = ({ split }: Pick<AgentTask, 'split'>): number => (split ? MOST_COMPOSED_TURNS : MOST_TURNS);

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

/** @param split of a composed form; absent for a template of the execution split */
export function makeTask(part: Part, index: number, seed = DATA_SEED, split?: Split): AgentTask {
  const { trace, template } = generatedOf({ split, part, seed, index });
  const question = trace.events.find(({ event_type }) => event_type === 'USER')?.action?.args?.[0]?.value;
  const kind = split ? template.id : template.id.replace('execution/', '');
  const prompt = promptOf(new Book(dialectOf({ split })).marked(String(question)));
  const id = `${split ? `${split}/` : ''}${part}/${seed}/${index}`;
  return { id, kind, part, seed, index, prompt, ...(split && { split }) };
}

/** The first `count` tasks of a part; templates alternate. */
export const tasksOf = (part: Part, count: number, seed = DATA_SEED): AgentTask[] =>
  Array.from({ length: count }, (_, index) => makeTask(part, index, seed));

// An episode depends only on its texts: a scenario is played from the start with a speaker's texts as the agent's actions. The result has
// the verdict and, if the speaker stops, what it would be shown next.

export interface Heard {
  readonly view: AgentView;
  readonly book: Book;
  /** Text that the agent is shown; the first one is the user's message. */
  readonly shown: string;
}

/** Returns the agent's next text, or null to stop. */
export type Speaker = (heard: Heard) => string | null;

export interface PlayedEpisode {
  /** Text that the agent is shown next; null if the episode is over. */
  readonly next: string | null;
  /** The message to the user; empty if there was none. */
  readonly message: string;
  readonly verdict: AgentVerdict;
}

/** Thrown through the run to stop it when the speaker is silent. */
class Silence extends Error {}

export async function playEpisode(task: AgentTask, speaker: Speaker): Promise<PlayedEpisode> {
  const { trace, oracle } = stagedOf(task);
  // Published runs of templates keep their original judge; composed forms have the default one.
  const engine = task.split ? undefined : wordsEngine;
  const { environment, verifier } = beginJudgedRun(trace, { classes: APP_CLASSES, oracle, ...(engine && { engine }) });
  const book = new Book(dialectOf(task));
  const most = mostTurnsOf(task);
  const refused = new Map<LanguageFault, number>();
  let [turns, answered, failed] = [0, 0, 0];
  let next: string | null = null;
  let message = '';
  const agent: Agent = {
    name: 'in the language',
    act(view) {
      let shown = shownView(view, book);
      for (;;) {
        next = turns < most ? shown : null;
        const text = next === null ? null : speaker({ view, book, shown });
        if (text === null) throw new Silence();
        turns++;
        try {
          return { action: { kind: 'call', ...decodeAction(text.trim(), book, view.apps) } };
        } catch (error) {
          if (!(error instanceof LanguageError)) throw error;
          refused.set(error.fault, (refused.get(error.fault) ?? 0) + 1);
          shown = `error: ${error.fault}`;
        }
      }
    },
  };
  let run: AgentRun | null = null;
  try {
    run = await runAgent(environment, agent, {
      turns: verifier.turnCount,
      onStep: ({ tool, args, outcome }) => {
        if ('value' in outcome) answered++;
        else failed++;
        if ('value' in outcome && tool === 'send_message_to_user') message = String(args.content);
      },
    });
    next = null;
  } catch (error) {
    if (!(error instanceof Silence)) throw error;
  }
  const { success, failure, exception } = await settled(() => verifier.judgeEnd(environment.log.list()));
  const why = success ? null : (failure?.kind ?? exception?.kind ?? 'unknown');
  const ended = run?.end === 'turns done';
  const faults = [...refused].map(([fault, count]) => `${count} ${fault}`).join(', ');
  const count = [...refused.values()].reduce((sum, one) => sum + one, 0);
  return { next, message, verdict: { success, failure: why, turns, answered, failed, refused: count, faults, ended } };
}

/** A speaker that writes these texts one after another. */
export function saying(texts: readonly string[]): Speaker {
  let at = 0;
  return () => texts[at++] ?? null;
}

// Generated scenarios as a multi-turn environment: in each turn the model writes one action of the compact language and is shown its result; the episode
// ends when it writes to the user. A state is the list of the model's texts; each act replays the scenario from the start (about two milliseconds), so a
// state can be continued any number of times.

export interface AgentEpisode {
  readonly task: AgentTask;
  readonly said: readonly string[];
  /** Text that the agent is shown next; null if the episode is over. */
  readonly next: string | null;
}

export const agentsDynamics: Dynamics<AgentTask, AgentEpisode> = {
  id: 'agents',
  begin: (task) => ({ task, said: [], next: task.prompt }),
  observe: ({ next }): Observation => (next === null ? { kind: 'end' } : { kind: 'prompt', text: next }),
  async act({ task, said }, completion, ended = true) {
    const all = [...said, completion];
    const { next } = await playEpisode(task, saying(all));
    return { task, said: all, next: next === null ? null : promptAfter(next, ended) };
  },
};
