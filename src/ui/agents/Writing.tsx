// The text that an agent's model is writing while it plays. Afterwards, the number of its calls and tokens, and why it gave up if it did.
import { plural } from '../../experiments/analysis/words.ts';
import { useAre } from './use-are.ts';

export function Writing() {
  const isRunning = useAre((state) => state.status === 'running');
  const written = useAre((state) => state.written);
  const model = useAre((state) => state.played?.model ?? null);
  const last = [...written].at(-1);
  if (isRunning && last)
    return (
      <section className="are-writing" aria-label="The model writes" aria-live="off">
        <p className="muted">Act {last[0] + 1}</p>
        <pre className="are-wrote">{last[1].trim() || '…'}</pre>
      </section>
    );
  if (!model) return null;
  const { name, spent, gaveUp } = model;
  const { calls, inputTokens, outputTokens, formatErrors } = spent;
  const tokens =
    inputTokens + outputTokens > 0
      ? `${inputTokens} tokens read, ${outputTokens} written`
      : 'token counts not reported';
  return (
    <p className="are-writing" role="status">
      {calls > 0
        ? `${name} was asked ${plural(calls, 'time')}: ${tokens}; ${plural(formatErrors, 'answer')} that ${formatErrors === 1 ? 'was' : 'were'} no action.`
        : gaveUp === null
          ? `${name} was not asked: every call was replayed.`
          : `${name} wrote nothing.`}
      {gaveUp === null ? '' : ` It gave up: ${gaveUp}`}
    </p>
  );
}
