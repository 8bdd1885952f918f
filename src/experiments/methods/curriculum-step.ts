// A step of the curriculum (curriculum.ts): which problems it trains on, and the limit on the drift from the trusted policy.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { minus, norm } from '../../algorithms/vectors.ts';
import { fromBase64Url, toBase64Url } from '../../lib/base64url.ts';
import type { Prepared, Preparing } from './method.ts';
import type { TwoGradientsRun } from './two-gradients.ts';

export interface CurriculumRun extends TwoGradientsRun {
  curriculumShare: number;
  driftLimit: number;
  driftBy: string;
  klBeta: number;
  steps: number;
  adapter: string;
  projection: string;
}

/** @param first number of trusted steps */
export async function prepareCurriculum({ run, policy }: Preparing<CurriculumRun>, first: number): Promise<Prepared> {
  return (from) => {
    const kept = from as { runId: string; step: number; curriculum?: string } | null;
    let trusted = kept && kept.step >= first ? trustedPolicy(kept, policy.adapterLayout.total) : null;
    return {
      readsTrusted: (step) => step < first,
      combine: ({ step, untrusted, direction }) => ({ gradient: step < first ? direction : untrusted }),
      reference: (step) => (run.driftBy === 'kl' && step >= first ? trusted : null),
      limit({ step, total, initial }) {
        if (step < first) {
          if (step === first - 1) trusted = total.slice();
          return total;
        }
        if (run.driftBy === 'kl') return total;
        return projectedToBall(total, trusted!, run.driftLimit * norm(minus(trusted!, initial)));
      },
      keep: () => (trusted ? { curriculum: toBase64Url(new Uint8Array(trusted.buffer)) } : {}),
    };
  };
}

/** `total` itself if it is inside the ball. */
function projectedToBall(total: Float32Array, centre: Float32Array, radius: number): Float32Array {
  const apart = minus(total, centre);
  const length = norm(apart);
  return length <= radius ? total : centre.map((x, i) => x + (radius / length) * apart[i]);
}

function trustedPolicy({ runId, curriculum }: { runId: string; curriculum?: string }, length: number): Float32Array {
  const bytes = curriculum ? fromBase64Url(curriculum) : null;
  if (bytes?.length === 4 * length) return new Float32Array(bytes.buffer);
  throw new SpecError(`the checkpoint of ${runId} has no trusted policy of this model`, 'Start it as a new run.');
}
