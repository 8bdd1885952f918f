// States, where the device is chosen and on the device page, that a software WebGPU adapter computes on the processor, with the measured
// speeds of both.
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

export default function SoftwareNote() {
  const lab = useLabActions();
  const device = useLab((state) => state.device);
  const comparison = useLab((state) => state.comparison);
  const busy = useLab((state) => state.busy);
  if (!device) return null;
  const inUse = device.isSoftware;
  if (!comparison)
    return inUse ? (
      <p className="callout slim" role="status">
        <b>A software adapter.</b> It computes on the processor. {busy ? '' : 'Measuring it against the CPU device …'}
      </p>
    ) : null;
  const { adapter, n, webgpu, cpu, threads } = comparison;
  const times = (a: number, b: number) => (a / b >= 10 ? (a / b).toFixed(0) : (a / b).toFixed(1));
  const figures = `${cpu.toFixed(1)} GFLOP/s on the CPU (${threads} ${threads === 1 ? 'thread' : 'threads'}), ${webgpu.toFixed(1)} on it, for products of ${n} × ${n}, measured here`;
  return (
    <div className="callout slim software-note" data-testid="software-note">
      <p>
        <b>
          {cpu > webgpu
            ? `The CPU device is ${times(cpu, webgpu)} times as fast as this software adapter`
            : `This software adapter is ${times(webgpu, cpu)} times as fast as the CPU device`}
        </b>{' '}
        ({adapter}): {figures}.
      </p>
      {inUse && cpu > webgpu ? (
        <Button label="Use the CPU" disabled={busy} onClick={() => void lab.chooseDevice('cpu')} />
      ) : null}
    </div>
  );
}
