// An ExIt sampler's memory as a checkpoint has it, checked at the door: a file may hold anything. By hand, since a schema library
// here would be a chunk of its own on the page's first load.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Entry } from './buffer.ts';

export interface BufferState {
  /** Entries so far, those that are gone too. */
  inserted: number;
  entries: Entry[];
}

type Unknown = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Unknown => typeof value === 'object' && value !== null;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isAnswer = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.text === 'string' &&
  Number.isFinite(value.quality) &&
  typeof (value.said ?? '') === 'string';

const isEntry = (value: unknown, tasks?: ReadonlyMap<string, unknown>): boolean =>
  isObject(value) &&
  [value.id, value.uses, value.parent ?? 0].every(isCount) &&
  typeof value.task === 'string' &&
  (tasks?.has(value.task) ?? true) &&
  Number.isFinite(value.score) &&
  Array.isArray(value.history) &&
  value.history.length > 0 &&
  value.history.every(isAnswer);

/** `tasks`: of the run that goes on with it; who only reads it has none. Throws SpecError for what is no buffer over them. */
export function parseState(saved: unknown, tasks?: ReadonlyMap<string, unknown>): BufferState {
  if (isObject(saved) && isCount(saved.inserted) && Array.isArray(saved.entries))
    if (saved.entries.every((entry) => isEntry(entry, tasks))) return saved as unknown as BufferState;
  throw new SpecError(
    'the state of the checkpoint’s task sampler is no buffer of this run’s tasks',
    'Start the run anew.',
  );
}
