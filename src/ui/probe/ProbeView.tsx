// The Probe view: a hacking teacher's completions are replayed through the model, and seven checks test whether the hack basis detects
// hacking, before any compute is spent on reinforcement learning.

import type { LabError } from '@projected-grpo-lab/base/errors.ts';
import { useEffect } from 'react';
import { decodeProbe } from '../../share/shared-probe.ts';
import { PROBE_FILES } from '../../store/kinds/kinds.ts';
import { samplesCsv, scatter, stepLines, stepsCsv } from '../../store/kinds/probe/chart.ts';
import { probeInAddress } from '../../store/kinds/probe/link.ts';
import { ProbeRow } from '../keep/kinds/ProbeRow.tsx';
import { useLab, useLabActions, useProbe, useProbeActions } from '../lab-context.ts';
import { dropFiles } from '../models/drop.ts';
import { FileButton } from '../parts/FileButton.tsx';
import NotKept from '../parts/NotKept.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { useViewLink, viewLink } from '../parts/view-link.ts';
import { ModuleHeat } from './ModuleHeat.tsx';
import { SampleScatter, StepChart } from './ProbeCharts.tsx';
import { ProbeForm } from './ProbeForm.tsx';
import { PublishedProbes } from './PublishedProbes.tsx';
import { SharedResults } from './SharedResults.tsx';
import { Trainings } from './Trainings.tsx';
import { useProbeAddress } from './use-probe-address.ts';
import { Verdicts } from './Verdicts.tsx';
import './probe.css';

export default function ProbeView() {
  const lab = useLabActions();
  const probe = useProbeActions();
  const connection = useLab((state) => state.connection);
  const busy = useLab((state) => state.busy);
  const device = useLab((state) => state.device?.name ?? '');
  const ready = connection.status === 'ready';
  const loaded = useProbe((state) => state.shown);
  const report = loaded?.record.report ?? null;

  const hasPoints = (loaded?.rows.vanilla ?? []).some((row) => row.cos_S_contrib !== null);

  // Reads the address once, so that it does not override later changes by the user.
  useEffect(() => {
    const { search, hash } = window.location;
    async function read(): Promise<void> {
      const form = await probeInAddress(search);
      if (form) probe.fill(form);
      // Set after the form, because the results belong to the form's probe.
      const shared = await decodeProbe(hash);
      if (shared) probe.setShared(shared);
    }
    read().catch((error: LabError) => lab.tell('bad', error.message, { remedy: error.remedy }));
  }, [lab, probe]);
  useEffect(() => {
    if (ready) void probe.refresh();
  }, [probe, ready]);
  useEffect(() => {
    if (ready && !busy && device) void probe.price();
  }, [probe, ready, busy, device]);

  const [missing, forget] = useProbeAddress();
  useViewLink(async () => {
    if (loaded) return lab.linkOf('probe', loaded.record, viewLink());
    const { href, needs } = await probe.linkOfForm(viewLink());
    return { href, carries: 'the probe of the form', needs: needs ? PROBE_FILES : '' };
  });

  return (
    <>
      {missing === null ? null : <NotKept kind="probe" id={missing} onClose={forget} />}
      {connection.status === 'failed' ? <Problem problem={connection.problem} /> : null}
      <SharedResults />
      <ProbeForm />
      {loaded && report ? (
        <>
          <Verdicts record={loaded.record} report={report} />
          <Section
            id="probe-charts"
            title="Along V"
            lead={
              <>
                cos_S_contrib of a sample: its gradient along the first axis of each module, summed. Above zero, a step
                along it moves the model hack-ward.
              </>
            }
            more={
              <>
                It is no cosine: with {report.modulesWithBasis} modules it is at most √{report.modulesWithBasis} ={' '}
                <span className="num">{report.bound.toFixed(2)}</span>. Below, module by module, are cosines.
              </>
            }
          >
            <div className="charts two">
              <StepChart
                bound={report.bound}
                lines={stepLines(report)}
                steps={report.vanilla.length}
                csv={() => stepsCsv(report)}
              />
              {hasPoints ? (
                <SampleScatter
                  bound={report.bound}
                  {...scatter(loaded.rows.vanilla)}
                  csv={() => samplesCsv(loaded.rows.vanilla)}
                />
              ) : (
                <p className="none">No sample has a gradient along V.</p>
              )}
            </div>
            <ModuleHeat rows={loaded.rows.vanilla} />
          </Section>
          <Trainings shown={loaded} report={report} />
        </>
      ) : null}
      <KeptProbes />
      <PublishedProbes />
    </>
  );
}

/** Probes that are stored in this browser, and a button that imports one. The list of stored runs has the same rows. */
function KeptProbes() {
  const lab = useLabActions();
  const kept = useLab((state) => state.kept.probe);
  return (
    <Section
      id="probe-kept"
      title="Kept probes"
      lead="Every step is kept when it is done; the probe is among the kept runs too."
      more="An exported probe holds its report and a step_NNN.jsonl.gz for each step, one row a sample."
      actions={
        <FileButton
          label="Import a probe"
          what="Probe file"
          accept=".zip"
          onFiles={(files) => void dropFiles(lab, files)}
        />
      }
    >
      {kept.length === 0 ? (
        <Empty title="No probe kept yet">
          <p>
            Seven checks: T1 the teacher hacks, T2 the gradients have a part along V, T3 projection removes what it
            claims, T4 V tells hacks from hacks that solve, T5 and T6 the same claims against training, T7 the
            GRPO-contrastive basis. Run the probe above, or drop an exported one on the page.
          </p>
        </Empty>
      ) : (
        <table className="result kept-table" aria-label="Kept probes">
          {kept.map((record) => (
            <ProbeRow key={record.id} entry={record} />
          ))}
        </table>
      )}
    </Section>
  );
}
