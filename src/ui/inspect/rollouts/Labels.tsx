// The user's labels: the label of one rollout below its details, and tools for all labelled ones.
import { useState } from 'react';
import { ROLLOUT_LABELS } from '../../../experiments/records/rollout-labels.ts';
import { isLabelled } from '../../../store/rollouts/labelling.ts';
import { type RolloutRef, refKey } from '../../../store/rollouts/link.ts';
import type { RolloutRun } from '../../../store/rollouts/runs.ts';
import { useLab, useLabActions } from '../../lab-context.ts';
import { Button } from '../../parts/Button.tsx';
import { Chips } from '../../parts/Choice.tsx';
import { saveFile } from '../../parts/DownloadButton.tsx';
import { openView } from '../../parts/view.ts';

const NONE = { label: null, note: '' };
const CHOICES = [[null, 'not labelled'], ...ROLLOUT_LABELS.map((label) => [label, label] as const)] as const;
/** Maximum number of characters of a note that the database accepts. */
const MOST_NOTE = 2000;

/** Label and note of one rollout. The note is saved when its field loses the focus. */
export function LabelEditor({ rollout }: { rollout: RolloutRef }) {
  const lab = useLabActions();
  const key = refKey(rollout);
  const label = useLab((state) => state.labels.get(key)) ?? NONE;
  const [note, setNote] = useState<string | null>(null);
  const save = async (change: Partial<typeof label>) =>
    (await lab.openLabelling()).setLabel(rollout, { ...label, ...change });
  return (
    <div className="label-editor">
      <Chips legend="Label" options={CHOICES} value={label.label} onChange={(own) => void save({ label: own })} />
      <label className="choice grow">
        <span>Note</span>
        <textarea
          rows={2}
          maxLength={MOST_NOTE}
          value={note ?? label.note}
          onChange={({ target }) => setNote(target.value)}
          onBlur={() => {
            if (note !== null && note !== label.note) void save({ note });
            setNote(null);
          }}
        />
      </label>
    </div>
  );
}

/** A label and its note beside an answer. */
export function LabelTag({ rollout }: { rollout: RolloutRef }) {
  const key = refKey(rollout);
  const label = useLab((state) => state.labels.get(key));
  if (!isLabelled(label)) return null;
  const tone = label.label === 'hack' ? 'bad' : label.label === 'clean' ? 'good' : '';
  return (
    <span className={`tag ${tone}`} title={label.note || undefined}>
      {label.label === null ? 'note' : `labelled ${label.label}`}
    </span>
  );
}

/** Tools that use the labelled rollouts of these runs. Renders nothing if there are none. */
export function LabelTools({ runs }: { runs: readonly RolloutRun[] }) {
  const lab = useLabActions();
  const labels = useLab((state) => state.labels);
  const own = [...labels].filter(
    ([key, label]) => isLabelled(label) && runs.some(({ id }) => key.startsWith(`${id}:`)),
  );
  if (own.length === 0) return null;
  const count = (wanted: string) => own.filter(([, { label }]) => label === wanted).length;
  async function makePairs(): Promise<void> {
    if (await (await lab.openLabelling()).makePairs(runs)) openView('bases');
  }
  async function save(): Promise<void> {
    const blob = await (await lab.openLabelling()).exportLabels(runs.map(({ id }) => id));
    if (blob) saveFile('labelled-rollouts.jsonl', blob);
  }
  return (
    <div className="label-tools">
      <span className="num">
        Labelled: {count('hack')} hack, {count('clean')} clean
      </span>
      <Button
        label="Make a pair set"
        title="Pairs a hack with a clean answer to the same prompt, for extraction of a basis"
        onClick={() => void makePairs()}
      />
      <Button icon="download" label="Labelled rollouts" onClick={() => void save()} />
    </div>
  );
}
