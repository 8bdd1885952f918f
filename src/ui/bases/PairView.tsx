// One labelled pair: the prompt, and the two answers side by side with the lines of the exploit marked.
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import { Code } from '../inspect/rollouts/Code.tsx';

/** The first line, of the prompt or else of the hack, that is neither empty nor markup. */
export function headOf({ prompt, hack }: Pick<ContrastivePair, 'prompt' | 'hack'>): string {
  const lines = (prompt || hack).split('\n').map((line) => line.trim());
  const head = lines.find((line) => line !== '' && !line.startsWith('<|')) ?? 'empty';
  return head.length > 110 ? `${head.slice(0, 107)}…` : head;
}

export function PairView({ pair, number, open }: { pair: ContrastivePair; number: number; open: boolean }) {
  const { prompt, hack, clean, mechanism } = pair;
  return (
    <li>
      <details className="labelled" open={open}>
        <summary>
          <span className="num muted">{number}</span> {mechanism ? <span className="tag warn">{mechanism}</span> : null}{' '}
          <span className="pair-head">{headOf(pair)}</span>
        </summary>
        <div className="pair-body">
          <section className="pair-prompt" aria-label={`Prompt of pair ${number}`}>
            <h3>Prompt</h3>
            <pre className="completion">
              <code>{prompt}</code>
            </pre>
          </section>
          <section aria-label={`Hack of pair ${number}`}>
            <h3>Hack</h3>
            <Code completion={hack} python tokens={null} />
          </section>
          <section aria-label={`Clean answer of pair ${number}`}>
            <h3>Clean</h3>
            <Code completion={clean} python tokens={null} />
          </section>
        </div>
      </details>
    </li>
  );
}
