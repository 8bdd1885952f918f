// Measures PyTorch on the same machine, if installed: products in f32 and f16, on its accelerator or else its CPU.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type BenchTable, figure } from '../table.ts';

const SCRIPT = `
import json, sys, time
try:
    import torch
except ImportError:
    print(json.dumps(None)); sys.exit(0)
tiny = sys.argv[1] == "tiny"
device = "cuda" if torch.cuda.is_available() else "cpu"
wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
name = torch.cuda.get_device_name() if device == "cuda" else "CPU, %d threads" % torch.get_num_threads()
torch.backends.cuda.matmul.allow_tf32 = False
rows = []
for m, n, k in [(64, 64, 64)] if tiny else [(512, 512, 512), (4096, 4096, 4096), (2048, 3072, 1024), (8, 3072, 1024), (64, 3072, 1024)]:
    for kind in (torch.float32, torch.float16) if device == "cuda" else (torch.float32,):
        a = torch.randn(m, k, device=device, dtype=kind); b = torch.randn(n, k, device=device, dtype=kind)
        calls = max(1, min(50, int(2e11 / (2 * m * n * k)))) if device == "cuda" else 1
        a @ b.T; wait(); best = 1e9
        for _ in range(5):
            t = time.perf_counter()
            for _ in range(calls): a @ b.T
            wait(); best = min(best, (time.perf_counter() - t) / calls)
        rows.append([m, n, k, str(kind).split(".")[1], best * 1e3])
print(json.dumps({"version": torch.__version__, "device": name, "rows": rows}))
`;

interface Answer {
  version: string;
  device: string;
  rows: [number, number, number, string, number][];
}

/** Throws if there is no PyTorch; the report then gives that as the reason. */
export async function torchProducts(isTiny: boolean): Promise<BenchTable[]> {
  const { stdout } = await promisify(execFile)('python3', ['-c', SCRIPT, isTiny ? 'tiny' : 'whole']);
  const answer = JSON.parse(stdout) as Answer | null;
  if (!answer) throw new Error('python3 has no torch');
  return [
    {
      title: 'Products in PyTorch',
      note: `PyTorch ${answer.version} on ${answer.device}; f32 without TF32, the shortest of 5 rounds.`,
      columns: ['shape', 'type', 'ms', 'GFLOP/s'],
      rows: answer.rows.map(([m, n, k, type, ms]) => [
        `${m} × ${n} × ${k}`,
        type,
        figure(ms),
        figure((2 * m * n * k) / ms / 1e6),
      ]),
    },
  ];
}
