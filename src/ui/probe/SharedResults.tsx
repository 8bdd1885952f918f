// Results of a probe in the address, drawn, marked as not run here, and compared with the same probe here if there is one.

import { toCsv } from '../../lib/csv.ts';
import { sharedLines, sharedScatter } from '../../store/kinds/probe/chart.ts';
import { linesCsv, sharedRates } from '../../store/kinds/probe/trainings.ts';
import { useProbe, useProbeActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Section } from '../parts/Section.tsx';
import { RateChart, SampleScatter, StepChart } from './ProbeCharts.tsx';
import { VerdictTable } from './Verdicts.tsx';

export function SharedResults() {
  const probe = useProbeActions();
  const shared = useProbe((state) => state.shared);
  const same = useProbe((state) => state.sharedIsSame);
  if (!shared) return null;
  const { source, samples, problems, adapter, device, appVersion, verdicts, modulesWithBasis } = shared;
  const bound = Math.sqrt(modulesWithBasis);
  const lines = sharedLines(shared);
  const steps = Math.max(...lines.flatMap(({ points }) => points.map(({ x }) => x)), 0);
  const { points, legend } = sharedScatter(shared);
  return (
    <Section
      id="probe-shared"
      title="Results in the link"
      lead={
        <>
          {samples} samples of {problems} problems, {source}; {adapter === 'lora' ? 'LoRA' : 'the SVD adapter'},{' '}
          {modulesWithBasis} modules with a basis; {device || 'a device that is not named'}, version {appVersion}.
        </>
      }
      actions={<Button label="Dismiss" onClick={() => probe.setShared(null)} />}
    >
      <p className={`callout ${same === false ? 'bad' : same ? 'good' : ''}`} data-testid="probe-reproduced">
        {same === null
          ? 'These came with the address; they were not measured here. Run the probe below to compare.'
          : same
            ? 'The probe here has the same figures, to the last bit.'
            : 'The probe here has other figures: another device, model, pool or version of the lab.'}
      </p>
      <VerdictTable verdicts={verdicts} label="Checks in the link" />
      <div className="charts two">
        {steps > 0 ? (
          <StepChart of="probe-shared" bound={bound} lines={lines} steps={steps} csv={() => linesCsv(lines)} />
        ) : null}
        {points.length > 0 ? (
          <SampleScatter
            of="probe-shared"
            bound={bound}
            points={points}
            legend={legend}
            csv={() =>
              toCsv(
                ['n_tokens', 'cos_S_contrib', 'bucket'],
                points.map(({ x, y, bucket }) => [x, y, bucket]),
              )
            }
          />
        ) : null}
        <RateChart of="probe-shared" lines={sharedRates(shared)} />
      </div>
    </Section>
  );
}
