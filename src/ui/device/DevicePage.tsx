// The device view: the lab's device and why it was chosen, what WebGPU offers, the speed of matrix products, storage in use, and a
// button that copies all of it as text.
import { useEffect, useState } from 'react';
import { SIMD_NAMES } from '../../kernels/device.ts';
import { pageIsolation } from '../../lab/isolation.ts';
import type { Diagnostics, MatmulSpeed } from '../../lab/protocol/reports.ts';
import { bytesText } from '../../lib/numbers.ts';
import { sharesMemory } from '../../lib/shared-memory.ts';
import { diagnosticsText } from '../../store/device/diagnostics.ts';
import { problemOf, type Problem as ShownProblem } from '../../store/lab-state.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { DataTable } from '../parts/DataTable.tsx';
import { FactRow } from '../parts/Fact.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Section } from '../parts/Section.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { AdapterFacts } from './AdapterFacts.tsx';
import SoftwareNote from './SoftwareNote.tsx';
import { StorageFacts } from './StorageFacts.tsx';
import { TestedTable } from './TestedTable.tsx';

export default function DevicePage() {
  const lab = useLabActions();
  const connection = useLab((state) => state.connection);
  const device = useLab((state) => state.device);
  const busy = useLab((state) => state.busy);
  const [diagnostics, setDiagnostics] = useState<Diagnostics | null>(null);
  const [speeds, setSpeeds] = useState<MatmulSpeed[] | null>(null);
  const [measuring, setMeasuring] = useState(false);
  const [problem, setProblem] = useState<ShownProblem | null>(null);
  const ready = connection.status === 'ready';

  useEffect(() => {
    if (!ready || !device) return;
    let open = true;
    // Measured speeds belong to the previous device.
    setSpeeds(null);
    void lab.diagnostics.compare();
    Promise.all([lab.diagnostics.diagnose(), lab.diagnostics.refreshStorage()])
      .then(([found]) => open && setDiagnostics(found))
      .catch((error) => open && setProblem(problemOf(error)));
    return () => {
      open = false;
    };
  }, [lab, ready, device]);

  async function measure(): Promise<void> {
    setMeasuring(true);
    setProblem(null);
    try {
      setSpeeds(await lab.diagnostics.measureMatmul());
    } catch (error) {
      setProblem(problemOf(error));
    }
    setMeasuring(false);
  }

  async function copy(): Promise<void> {
    const { userAgent, hardwareConcurrency: cores } = navigator;
    const browser = { userAgent, cores, isolated: sharesMemory() };
    const text = diagnosticsText(lab.store.getState(), diagnostics, speeds, browser);
    try {
      await navigator.clipboard.writeText(text);
      lab.tell('good', 'Diagnostics copied: device, limits, speed and storage, nothing about your runs.');
    } catch {
      lab.tell('bad', 'The browser blocked the clipboard.', { remedy: 'Allow it in the address bar, then try again.' });
    }
  }

  return (
    <>
      <Section
        id="device"
        title="Device"
        lead="The device that the lab uses in this browser, and why. Choose another in the lab, under Configure → Device."
        actions={<Button label="Copy diagnostics" isLarge onClick={copy} />}
      >
        <ChosenDevice diagnostics={diagnostics} />
        <SoftwareNote />
        <Problem problem={problem} isOneText />
        <h3>Measured speed</h3>
        <p className="muted note">
          Square matrix products on the open device, in the worker: what training spends its time on. Takes a few
          seconds.
        </p>
        <p>
          <Button
            label={measuring ? 'Measuring …' : 'Measure'}
            isLarge
            tone="primary"
            onClick={measure}
            disabled={!ready || busy || measuring}
          />
          {busy ? <span className="muted"> An experiment is running; a measurement now would be wrong.</span> : null}
        </p>
        <div aria-live="polite">{speeds ? <Speeds speeds={speeds} /> : null}</div>
      </Section>
      <Section id="webgpu" title="WebGPU" lead="What this browser offers to a page’s worker.">
        {diagnostics ? <AdapterFacts diagnostics={diagnostics} /> : <p role="status">Asking the browser …</p>}
      </Section>
      <Section
        id="storage"
        title="Storage"
        lead="Runs, rollouts, checkpoints, pools and bases are stored in this browser only."
      >
        <StorageFacts />
      </Section>
      <TestedTable />
    </>
  );
}

function ChosenDevice({ diagnostics }: { diagnostics: Diagnostics | null }) {
  const connection = useLab((state) => state.connection);
  const device = useLab((state) => state.device);
  if (connection.status === 'failed') return <Problem problem={connection.problem} isOneText />;
  if (!device) return <p role="status">Opening the device …</p>;
  return (
    <dl className="facts-table">
      <FactRow name="In use">
        <b>{device.kind === 'webgpu' ? 'WebGPU' : 'CPU'}</b>: {device.name}
        {device.isSoftware ? ' (a software adapter)' : ''}
      </FactRow>
      <FactRow name="Why">{device.reason}</FactRow>
      <FusedFact />
      <IsolationFact />
      {device.threads ? <FactRow name="Threads">{device.threads}</FactRow> : null}
      {diagnostics ? (
        <>
          <FactRow name="Largest buffer" className="num">
            {bytesText(diagnostics.maxBindingBytes)}
          </FactRow>
          <FactRow name="Allocated" className="num">
            {bytesText(diagnostics.memory.allocated)} now, {bytesText(diagnostics.memory.peak)} at most
          </FactRow>
        </>
      ) : null}
      {connection.status === 'ready' ? (
        <FactRow name="Model">
          {connection.report.model.id}, {connection.report.model.parameters.toLocaleString('en-GB')} parameters (
          {bytesText(4 * connection.report.model.parameters)} as 32-bit floats)
        </FactRow>
      ) : null}
    </dl>
  );
}

/** Whether the CPU device that rounds a multiply-add once is available here. */
function FusedFact() {
  const connection = useLab((state) => state.connection);
  if (connection.status !== 'ready') return null;
  const { fusedProblem } = connection.report;
  return (
    <FactRow name="Fused multiply-adds">
      {fusedProblem === null
        ? `yes: the device ${SIMD_NAMES['cpu-fused']} is offered`
        : `no, so that the CPU device is ${SIMD_NAMES.cpu}: ${fusedProblem}`}
    </FactRow>
  );
}

function Speeds({ speeds }: { speeds: readonly MatmulSpeed[] }) {
  return (
    <DataTable
      label="Measured matmul speed"
      isNamed
      rows={speeds}
      columns={[
        { head: 'Size', cell: ({ n }) => `${n} × ${n} × ${n}` },
        { head: 'One product', cell: ({ repeats, seconds }) => `${((1000 * seconds) / repeats).toFixed(3)} ms` },
        { head: 'GFLOP/s', cell: ({ gflops }) => gflops.toFixed(1) },
      ]}
    />
  );
}

function IsolationFact() {
  const found = useLoaded(pageIsolation);
  return (
    <FactRow name="Cross-origin isolated">
      {found === undefined ? (
        'asking …'
      ) : found.isolated ? (
        'yes: threads can share memory'
      ) : (
        <>
          no, so the CPU uses one thread: {found.why}. {found.remedy}
        </>
      )}
    </FactRow>
  );
}
