// Progress on stderr: one line that updates itself on a terminal, else an occasional plain line. Never on stdout.
import { terminalText } from './terminal.ts';

export interface Progress {
  /** `done` of `total` in the same unit; `detail` is appended. */
  update(what: string, done: number, total: number, detail?: string): void;
  /** Shows a complete line as progress. */
  line(text: string): void;
  /** Prints a line that stays. */
  note(line: string): void;
  /** Moves the terminal to a new line. */
  end(): void;
}

interface ProgressOutput {
  isTTY: boolean;
  columns: number;
  write(text: string): void;
  /** Current time in milliseconds. */
  now(): number;
}

const REDRAW_MS = 100;
const LINE_MS = 10_000;

export function createProgress(out: ProgressOutput): Progress {
  let open = false;
  let lastWrite = Number.NEGATIVE_INFINITY;
  let phase = '';
  let phaseStart = 0;
  let phaseDone = 0;
  const clear = () => {
    if (open) out.write('\r\x1b[K');
    open = false;
  };
  const show = (text: string) => {
    const line = terminalText(text);
    if (!out.isTTY) return out.write(`${line}\n`);
    clear();
    out.write(line.slice(0, Math.max(20, out.columns - 1)));
    open = true;
  };
  const due = () => out.now() - lastWrite >= (out.isTTY ? REDRAW_MS : LINE_MS);
  return {
    update(what, done, total, detail = '') {
      const now = out.now();
      if (what !== phase) {
        [phase, phaseStart, phaseDone] = [what, now, done];
        lastWrite = Number.NEGATIVE_INFINITY;
      }
      const finished = total > 0 && done >= total;
      if (!due() && !finished) return;
      lastWrite = now;
      const gained = done - phaseDone;
      const eta = gained > 0 && !finished ? ((now - phaseStart) / gained) * (total - done) : null;
      const counts = total > 0 ? ` ${Math.floor(done)}/${total}` : '';
      show(`${what}${counts}${detail ? `  ${detail}` : ''}${eta === null ? '' : `  ETA ${duration(eta / 1000)}`}`);
    },
    line(text) {
      if (!due()) return;
      lastWrite = out.now();
      show(text);
    },
    note(line) {
      clear();
      out.write(`${terminalText(line)}\n`);
      lastWrite = Number.NEGATIVE_INFINITY;
    },
    end: clear,
  };
}

/** 75 → `1 min 15 s` */
export function duration(seconds: number): string {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

export function stderrProgress(): Progress {
  return createProgress({
    isTTY: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? 100,
    write: (text) => void process.stderr.write(text),
    now: () => Date.now(),
  });
}
