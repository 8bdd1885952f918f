// A person's own words about an experiment or a probe: its name, its tags, a note.
import { type FormEvent, useState } from 'react';
import type { Annotation } from '../../lab/protocol/experiments.ts';
import { Button } from './Button.tsx';

interface WordsProps {
  of: Pick<Annotation, 'name' | 'tags' | 'note'>;
  /** What it is called without a name of its own. */
  placeholder: string;
  /** Whether they were kept. */
  save: (words: Annotation) => Promise<boolean>;
  onDone: () => void;
}

export function Words({ of, placeholder, save: keep, onDone }: WordsProps) {
  const [name, setName] = useState(of.name ?? '');
  const [tags, setTags] = useState((of.tags ?? []).join(', '));
  const [note, setNote] = useState(of.note ?? '');

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    const list = tags.split(',').map((tag) => tag.trim());
    if (await keep({ name, note, tags: list.filter((tag) => tag !== '') })) onDone();
  }

  return (
    <form className="kept-panel words" onSubmit={(event) => void save(event)} aria-label="Name, tags and note">
      <label className="field">
        <span>Name</span>
        <input
          type="text"
          value={name}
          maxLength={120}
          placeholder={placeholder}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label className="field">
        <span>Tags, with commas between</span>
        <input type="text" value={tags} maxLength={400} onChange={(event) => setTags(event.target.value)} />
      </label>
      <label className="field wide">
        <span>Note</span>
        <textarea value={note} maxLength={4000} rows={3} onChange={(event) => setNote(event.target.value)} />
      </label>
      <div className="kept-tools">
        <Button label="Save" tone="primary" type="submit" />
        <Button label="Cancel" onClick={onDone} />
      </div>
    </form>
  );
}
