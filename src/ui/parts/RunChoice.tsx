// Which of an experiment's runs is on show below, where there are several.
import { armLabel } from '../../experiments/analysis/names.ts';
import type { RunRecord } from '../../experiments/records/events.ts';

interface RunChoiceProps {
  runs: readonly RunRecord[];
  chosen: RunRecord;
  choose: (id: string) => void;
}

export function RunChoice({ runs, chosen, choose }: RunChoiceProps) {
  if (runs.length < 2) return null;
  return (
    <label className="shown-run">
      Run{' '}
      <select value={chosen.id} onChange={(event) => choose(event.target.value)}>
        {runs.map(({ id, spec }) => (
          <option key={id} value={id}>
            {armLabel(spec.arm)}, seed {spec.seed}
          </option>
        ))}
      </select>
    </label>
  );
}
