// `devices`: lists the devices, and the choice of `auto`.

import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { DEVICE_CHOICES, type DeviceChoice } from '../experiments/config/spec.ts';
import { bytesText } from '../lib/numbers.ts';
import { toggle } from './args.ts';
import { command, EXIT } from './command.ts';
import { chooseNodeDevice, describeMachine } from './ports.node.ts';
import { renderTable } from './table.ts';

const usage = {
  name: 'devices',
  summary: 'Lists the devices that the lab can compute on, and says which one `--device auto` takes and why.',
  flags: { json: toggle('Print JSON.') },
} as const;

interface Found {
  choice: Exclude<DeviceChoice, 'auto'>;
  name: string | null;
  isSoftware: boolean;
  maxBindingBytes: number | null;
  problem: string | null;
}

export const devices = command(usage, async ({ flags }, { out }) => {
  const found: Found[] = [];
  for (const choice of DEVICE_CHOICES) {
    if (choice === 'auto') continue;
    try {
      const { device } = await chooseNodeDevice({ device: choice });
      const { name, isSoftware, limits } = device;
      found.push({ choice, name, isSoftware, maxBindingBytes: limits.maxBindingBytes, problem: null });
      device.destroy();
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      found.push({
        choice,
        name: null,
        isSoftware: false,
        maxBindingBytes: null,
        problem: `${error.message}. ${error.remedy}`,
      });
    }
  }
  const { device, report } = await chooseNodeDevice({ device: 'auto' });
  device.destroy();
  if (flags.json) {
    out(JSON.stringify({ machine: describeMachine(), devices: found, auto: report }, null, 2));
    return EXIT.ok;
  }
  const rows = found.map(({ choice, name, isSoftware, maxBindingBytes }) => [
    choice,
    name ?? 'none',
    name === null ? '' : isSoftware ? 'software' : 'yes',
    maxBindingBytes === null || !Number.isFinite(maxBindingBytes) ? '' : bytesText(maxBindingBytes),
  ]);
  out(describeMachine());
  out(renderTable(['device', 'name', 'real', 'largest buffer'], rows, (column) => column === 3));
  for (const { choice, problem } of found) if (problem) out(`${choice}: ${problem}`);
  out(`auto → ${report.name}: ${report.reason}`);
  return EXIT.ok;
});
