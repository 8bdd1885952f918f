// One labelled pair: the prompt, and the two answers side by side with the lines of the exploit marked.
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import { headOf } from '../../store/bases/pair-editor.ts';
import { Code } from '../inspect/rollouts/Code.tsx';

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
