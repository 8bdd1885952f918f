// Singular vectors that were kept, of all models: how much room they take, and a way to be rid of them.
import { bytes } from '../../lib/numbers.ts';
import { useLab } from '../lab-context.ts';
import { useModelActions, useModels } from './use-models.ts';

export function KeptFactors() {
  const models = useModelActions();
  const busy = useLab((state) => state.busy);
  const working = useModels((state) => state.work !== null);
  const factors = useModels((state) => state.factors);
  if (!factors || factors.files === 0) return null;
  return (
    <p className="model-actions model-factors num">
      <span>
        Singular vectors of {factors.files} {factors.files === 1 ? 'Linear' : 'Linears'}: {bytes(factors.bytes)}.
        Cleared, they are made anew by the next run that needs them.
      </span>
      <button type="button" className="btn small" disabled={busy || working} onClick={() => void models.clearFactors()}>
        Clear
      </button>
    </p>
  );
}
