// The user's notes on a stored experiment: its name, tags and note. Limited here, and never overwritten by the worker.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Annotation, StoredExperiment } from '../protocol/experiments.ts';

/** A record that is written again takes the notes of the stored one. */
export function copyNotes(from: StoredExperiment, to: StoredExperiment): void {
  for (const key of ['name', 'tags', 'note'] as const) {
    if (from[key] !== undefined) Object.assign(to, { [key]: from[key] });
  }
}

const MAX_NOTES = { name: 120, tag: 40, tags: 20, note: 4000 };

/** Trims; throws SpecError for texts that are too long. */
export function checkNotes({ name, tags, note, interrupted }: Annotation): Annotation {
  const words: Annotation = {};
  const within = (what: string, text: string, limit: number): string => {
    const trimmed = text.trim();
    if (trimmed.length <= limit) return trimmed;
    throw new SpecError(`The ${what} has ${trimmed.length} characters; ${limit} are allowed.`, 'Make it shorter.');
  };
  if (name !== undefined) words.name = within('name', name, MAX_NOTES.name);
  if (note !== undefined) words.note = within('note', note, MAX_NOTES.note);
  if (tags !== undefined) {
    words.tags = [...new Set(tags.map((tag) => within('tag', tag, MAX_NOTES.tag)))].filter((tag) => tag !== '');
    if (words.tags.length > MAX_NOTES.tags)
      throw new SpecError(`${words.tags.length} tags are too many; ${MAX_NOTES.tags} are allowed.`, 'Drop some.');
  }
  if (interrupted !== undefined) words.interrupted = interrupted;
  return words;
}
