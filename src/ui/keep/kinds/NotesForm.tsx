// Form for the user's name, tags and note of an experiment or a probe.
import { type FormEvent, useState } from 'react';
import type { KindId } from '../../../experiments/records/kind.ts';
import type { SummaryOf } from '../../../lab/protocol/kept.ts';
import { KEPT_ON_PAGE } from '../../../store/kinds/kinds.ts';
import { useLabActions } from '../../lab-context.ts';
import { Button } from '../../parts/Button.tsx';

interface NotesFormProps<K extends KindId> {
  kind: K;
  entry: SummaryOf<K>;
  onDone: () => void;
}

export function NotesForm<K extends KindId>({ kind, entry, onDone }: NotesFormProps<K>) {
  const lab = useLabActions();
  const [name, setName] = useState(entry.name ?? '');
  const [tags, setTags] = useState((entry.tags ?? []).join(', '));
  const [note, setNote] = useState(entry.note ?? '');

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    const list = tags.split(',').map((tag) => tag.trim());
    const words = { name, note, tags: list.filter((tag) => tag !== '') };
    if (await lab.annotate(kind, entry.id, words)) onDone();
  }

  return (
    <form className="kept-panel words" onSubmit={(event) => void save(event)} aria-label="Name, tags and note">
      <label className="field">
        <span>Name</span>
        <input
          type="text"
          value={name}
          maxLength={120}
          // The name that is shown if the user does not set one.
          placeholder={KEPT_ON_PAGE[kind].unnamed(entry)}
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
