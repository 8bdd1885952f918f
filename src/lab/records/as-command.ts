// How to repeat or read a run elsewhere: the command line that trains the same bytes, and Python that reads the export. Pure. A user's own
// files (basis, pairs, pool, problems) are in the exported archive or at their source; the command names them.

import { OWN_PAIRS } from '../../experiments/config/environments.ts';
import { baseOf, environmentOf } from '../../experiments/config/preset-in.ts';
import { COMMON, type SettingName, type Settings, settingText } from '../../experiments/config/settings.ts';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';

interface AsCommand {
  /** Arguments after `npm run lab -- run`. */
  args: string[];
  /** Files that the command names and requires. */
  needs: string[];
}

export function asCommand(spec: ExperimentSpec): AsCommand {
  const { preset, arms, seeds, device, overrides, fork } = spec;
  const left = new Map(Object.entries(overrides) as [SettingName, Settings[SettingName]][]);
  const begins = fork ? ['--from', `parent.json#${fork.arm}-${fork.seed}@${fork.step}`] : ['--preset', preset];
  const args = [...begins, '--arms', arms.join(','), '--seeds', seeds.join(','), '--device', device];
  const needs: string[] = [];
  const file = (flag: string, name: string, what: string, ...settings: SettingName[]) => {
    args.push(flag, name);
    needs.push(what);
    for (const setting of settings) left.delete(setting);
  };
  if (overrides.basisSource === 'file')
    file(
      '--basis',
      'basis.safetensors',
      'the basis (basis.safetensors of the exported run)',
      'basisSource',
      'basisFile',
    );
  if (overrides.teacherPool)
    file('--teacher-pool', 'pool.jsonl', 'the teacher pool (pool.jsonl of the exported run)', 'teacherPool');
  if (overrides.pairSet?.startsWith(OWN_PAIRS))
    file('--pair-set', 'pairs.json', 'the labelled pairs (pairs.json of the exported run)', 'pairSet', 'pairs');
  if (environmentOf(spec).startsWith('leetcode:'))
    file('--problems', 'problems.jsonl', 'the file of real problems', 'environment');
  if (fork) {
    needs.push(`the parent run, ${fork.run} (the JSON of its experiment’s result, as parent.json)`);
    // A fork takes missing settings from its parent, not from the preset.
    for (const name of Object.keys(fork.overrides) as SettingName[])
      if (overrides[name] === undefined) left.set(name, baseOf(spec).settings[name]);
    for (const [name, value] of left)
      if (JSON.stringify(fork.overrides[name]) === JSON.stringify(value)) left.delete(name);
  }
  for (const [name, value] of left) args.push('--set', `${name}=${settingText(value, ',')}`);
  if ((overrides.model ?? COMMON.model) !== COMMON.model && !String(overrides.model).startsWith('tiny-'))
    needs.push(`the model ${overrides.model} (add --model DIR, its folder)`);
  return { args, needs };
}

/** The command for a POSIX shell. */
export const commandText = ({ args }: AsCommand): string =>
  [
    'npm run lab -- run',
    ...args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`)),
    '--json run.json',
  ].join(' ');

/** Python that reads the exported zip with the standard library, and its tensors if `safetensors` is installed. */
export const pythonText = (archive: string): string => `import io, json, zipfile

with zipfile.ZipFile(${JSON.stringify(archive)}) as z:
    experiment = json.loads(z.read("experiment.json"))
    names = sorted(n for n in z.namelist() if n.startswith("runs/") and n.endswith("/run.json"))
    runs = [json.loads(z.read(n)) for n in names]
    params = {n: z.read(n) for n in z.namelist() if n.endswith("/knobs.safetensors")}

for run in runs:
    rows = run["rows"]  # one a step: student and teacher rates, reward, gradient norms
    print(run["spec"]["arm"], "seed", run["spec"]["seed"], "steps", len(rows))
    print("  last step:", rows[-1]["student"])
    for row in run["evals"]:
        if row["kind"] == "final":
            print("  final", row["model"], row["all"])

# The trained adapter parameters: pip install safetensors numpy
# from safetensors.numpy import load
# tensors = {name: load(data) for name, data in params.items()}

# "Steps CSV" of the result, with pandas:
# import pandas as pd
# steps = pd.read_csv("…-steps.csv")
# steps.groupby("arm")[["student_hack", "student_solve"]].mean()
`;
