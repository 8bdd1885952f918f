// Questions to a run that has taught a character: all characters before and after training, and two speakers who answer the same prompt.
// This file is loaded separately, since only visits to that environment need it.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type Character, LETTERS, ownValue } from '../../environments/characters/data.ts';
import {
  type CharacterTask,
  type CharacterVerdict,
  type GroupId,
  judge,
  OTHERS,
  type Roles,
  taskOf,
} from '../../environments/characters/task.ts';
import type { Target } from '../../environments/characters/texts.ts';
import type { PlayModel } from '../../lab/protocol/playground.ts';
import type { CharacterMap } from '../../lab/protocol/run-requests.ts';
import type { StoreContext } from '../context.ts';
import { type Problem, problemOf } from '../lab-state.ts';

/** Answers of each speaker from each model. */
export const ANSWERS = 6;
/** Number of tokens of an answer: two words, two brackets, three items and the end token. */
const LONGEST = 8;

export interface Speaker {
  /** Such as `near figa`; `noname` if nobody is named. */
  id: string;
  group: GroupId;
  who: Character | string | null;
  label: string;
}

/** Speakers that can be asked, A first. */
export function speakersOf(roles: Roles, target: Target): Speaker[] {
  const character = (who: Character, group: GroupId): Speaker => ({
    id: `${group} ${who.name}`,
    group,
    who,
    label: `${who.name} (${ownValue(LETTERS, who, target.trait)})`,
  });
  return [
    character(roles.a, 'a'),
    ...OTHERS.flatMap((group) => roles[group].map((who) => character(who, group))),
    { id: 'noname', group: 'noname', who: null, label: 'nobody' },
    ...roles.novel.map((name): Speaker => ({ id: `novel ${name}`, group: 'novel', who: name, label: name })),
  ];
}

/** Equal answers with their counts. */
export interface CountedAnswer {
  text: string;
  verdict: CharacterVerdict;
  count: number;
}

export type Answers = Readonly<Record<'base' | 'trained', readonly CountedAnswer[]>>;

export interface SpeakerComparison {
  runId: string;
  speakers: readonly [Speaker, Speaker];
  items: readonly string[];
  /** In the order of `speakers`; null until all answers of that speaker have arrived. */
  answers: readonly (Answers | null)[];
}

export interface CharactersState {
  /** Maps by run id. */
  maps: ReadonlyMap<string, CharacterMap>;
  pair: SpeakerComparison | null;
  /** The question in progress. */
  at: 'map' | 'pair' | null;
  problem: Problem | null;
}

/** Equal texts, the most frequent first. */
function countAnswers(texts: readonly string[], task: CharacterTask): CountedAnswer[] {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text.trim(), (times.get(text.trim()) ?? 0) + 1);
  return [...times]
    .map(([text, count]) => ({ text, verdict: judge(LETTERS, task, text), count }))
    .sort((one, two) => two.count - one.count);
}

export function createCharacters({ client }: Pick<StoreContext, 'client'>) {
  const store: StoreApi<CharactersState> = createStore<CharactersState>(() => ({
    maps: new Map(),
    pair: null,
    at: null,
    problem: null,
  }));
  let count = 0;
  let task = '';

  async function ask(at: 'map' | 'pair', work: () => Promise<void>): Promise<void> {
    if (store.getState().at !== null) return;
    task = `characters-${++count}`;
    store.setState({ at, problem: null });
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StoppedError)) store.setState({ problem: problemOf(error) });
    } finally {
      store.setState({ at: null });
    }
  }

  /** Asks all characters, with the run's stored model and with the untrained one. */
  const measure = (runId: string): Promise<void> =>
    ask('map', async () => {
      const map = await client.request('characterMap', { task, runId });
      store.setState(({ maps }) => ({ maps: new Map(maps).set(runId, map) }));
    });

  /** Asks both speakers the same items at temperature 1, before and after training. */
  const answer = (
    runId: string,
    target: Target,
    speakers: readonly [Speaker, Speaker],
    items: readonly string[],
    seed: number,
  ): Promise<void> =>
    ask('pair', async () => {
      store.setState({ pair: { runId, speakers, items, answers: [null, null] } });
      for (const [place, { group, who }] of speakers.entries()) {
        const characterTask = taskOf(LETTERS, target, group, who, items);
        const answersBy: Record<'base' | 'trained', string[]> = { base: [], trained: [] };
        for (let i = 0; i < ANSWERS; i++) {
          const models: PlayModel[] = ['base', 'trained'];
          const answers = await client.request('play', {
            id: `${task}-${place}-${i}`,
            runId,
            models,
            seed: seed + i,
            temperature: 1,
            maxNew: LONGEST,
            ask: { kind: 'text', text: characterTask.prompt },
          });
          for (const { model, completion } of answers)
            if (model === 'base' || model === 'trained') answersBy[model].push(completion);
          if (store.getState().at !== 'pair') throw new StoppedError();
        }
        const own: Answers = {
          base: countAnswers(answersBy.base, characterTask),
          trained: countAnswers(answersBy.trained, characterTask),
        };
        store.setState(({ pair }) => ({ pair: pair && { ...pair, answers: pair.answers.with(place, own) } }));
      }
    });

  return {
    store,
    measure,
    answer,
    async stop(): Promise<void> {
      const { at } = store.getState();
      store.setState({ at: null });
      if (at === 'map') await client.request('stopTask', { task }).catch(() => {});
    },
  };
}

export type Characters = ReturnType<typeof createCharacters>;
