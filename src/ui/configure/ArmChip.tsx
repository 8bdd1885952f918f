// A chip that selects an arm, with its name and its look in the charts. Its title describes the arm.
import { vanillaWithin } from '../../experiments/analysis/vanilla.ts';
import { ARMS, type ArmName } from '../../experiments/config/arms.ts';
import { armStyle } from '../../store/runs/arm-style.ts';
import { Swatch } from '../charts/Legend.tsx';
import { useLab, useLabActions } from '../lab-context.ts';

export function ArmChip({ name }: { name: ArmName }) {
  const lab = useLabActions();
  const isChosen = useLab((state) => state.draft.arms.includes(name));
  const within = useLab((state) => (name === 'none' ? vanillaWithin(state.draft.arms) : null));
  const about =
    within === null
      ? ARMS[name].description
      : `Included: ${ARMS[within].label} trains exactly as vanilla does, so its run has vanilla’s lines too.`;
  return (
    <label className={within === null ? 'chip' : 'chip included'} title={about}>
      <input type="checkbox" checked={isChosen} onChange={() => lab.toggleArm(name)} />
      <Swatch entry={{ style: armStyle(name) }} />
      <span>
        {ARMS[name].label}
        {within === null ? null : <span className="muted"> included</span>}
      </span>
    </label>
  );
}
