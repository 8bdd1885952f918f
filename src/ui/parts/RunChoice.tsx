// Chooses which of an experiment's runs is shown below, if there are several.
import { armLabel } from '../../experiments/analysis/names.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { Options } from './Choice.tsx';

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
        <Options of={runs.map(({ id, spec }) => [id, `${armLabel(spec.arm)}, seed ${spec.seed}`] as const)} />
      </select>
    </label>
  );
}
