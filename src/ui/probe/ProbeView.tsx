// The Probe view: a hacky teacher's completions are replayed through the model, and seven checks ask whether the hack basis sees
// hacking, before any reinforcement learning is paid for.
import { useEffect } from 'react';
import type { LabError } from '../../lib/errors.ts';
import { probeInAddress } from '../../store/probe-link.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Section } from '../parts/Section.tsx';
import { KeptProbes } from './KeptProbes.tsx';
import { ModuleHeat } from './ModuleHeat.tsx';
import { ProbeForm } from './ProbeForm.tsx';
import { SampleScatter } from './SampleScatter.tsx';
import { StepChart } from './StepChart.tsx';
import { useProbe, useProbeActions } from './use-probe.ts';
import { Verdicts } from './Verdicts.tsx';
import './probe.css';

export function ProbeView() {
  const lab = useLabActions();
  const probe = useProbeActions();
  const connection = useLab((state) => state.connection);
  const busy = useLab((state) => state.busy);
  const device = useLab((state) => state.device?.name ?? '');
  const ready = connection.status === 'ready';
  const loaded = useProbe((state) => state.shown);
  const report = loaded?.record.report ?? null;

  // Once: what the reader changes after that is theirs.
  useEffect(() => {
    probeInAddress(window.location.search).then(
      (form) => form && probe.fill(form),
      (error: LabError) => lab.tell('bad', error.message, { remedy: error.remedy }),
    );
  }, [lab, probe]);
  useEffect(() => {
    if (ready) void probe.refresh();
  }, [probe, ready]);
  useEffect(() => {
    if (ready && !busy && device) void probe.price();
  }, [probe, ready, busy, device]);

  return (
    <>
      {connection.status === 'failed' ? (
        <p className="callout bad" role="alert">
          <b>{connection.problem.message}</b> {connection.problem.remedy}
        </p>
      ) : null}
      <ProbeForm />
      {loaded && report ? (
        <>
          <Verdicts record={loaded.record} report={report} />
          <Section
            id="probe-charts"
            title="Cosines"
            lead={
              <>
                cos_S_contrib of a sample: how far its gradient lies along the first hack axis of every module. Above
                zero, a step along it moves the model hack-ward; with {report.modulesWithBasis} modules it is at most √
                {report.modulesWithBasis} = <span className="num">{report.bound.toFixed(2)}</span>.
              </>
            }
          >
            <div className="charts two">
              <StepChart report={report} />
              <SampleScatter rows={loaded.rows.vanilla} />
            </div>
            <ModuleHeat rows={loaded.rows.vanilla} />
          </Section>
        </>
      ) : null}
      <KeptProbes />
    </>
  );
}
