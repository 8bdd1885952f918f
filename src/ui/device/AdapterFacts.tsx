// The attempts to open WebGPU, and what the adapter reports about itself.
import type { Diagnostics } from '../../lab/protocol/reports.ts';
import { bytesText } from '../../lib/numbers.ts';
import { webgpuHere } from '../../store/device/diagnostics.ts';
import { FactRow } from '../parts/Fact.tsx';

export function AdapterFacts({ diagnostics }: { diagnostics: Diagnostics }) {
  const { tried, adapter } = diagnostics;
  return (
    <>
      {adapter ? null : (
        <p className="callout">
          {webgpuHere(diagnostics) === 'no adapter' ? (
            <>
              <b>WebGPU is available but offers no adapter.</b> The lab uses the CPU device, which is slower. Turn on
              the browser’s graphics acceleration, or update the graphics driver.
            </>
          ) : (
            <>
              <b>There is no WebGPU here.</b> The lab uses the CPU device, which is slower. A recent Chrome, Edge or
              Safari with graphics acceleration has WebGPU.
            </>
          )}
        </p>
      )}
      <h3>What was tried</h3>
      <ol className="tried">
        {tried.map(({ what, outcome, ok }) => (
          <li key={what}>
            <span className={ok ? 'tag good' : 'tag warn'}>{ok ? '✓ yes' : '✕ no'}</span> <code>{what}</code>: {outcome}
          </li>
        ))}
      </ol>
      <dl className="facts-table">
        {adapter ? (
          <FactRow name="Adapter">
            {[adapter.vendor, adapter.architecture, adapter.device, adapter.description].filter(Boolean).join(' · ')}
            {adapter.isFallback ? ' (fallback)' : ''}
          </FactRow>
        ) : null}
      </dl>
      {adapter ? (
        <>
          <details className="fold">
            <summary>Features ({adapter.features.length})</summary>
            <ul className="features">
              {adapter.features.map((feature) => (
                <li key={feature} className="tag mono">
                  {feature}
                </li>
              ))}
            </ul>
          </details>
          <details className="fold">
            <summary>Limits ({Object.keys(adapter.limits).length})</summary>
            <dl className="facts-table limits">
              {Object.entries(adapter.limits).map(([name, value]) => (
                <div key={name}>
                  <dt className="mono">{name}</dt>
                  <dd className="num">
                    {value.toLocaleString('en-GB')}
                    {/BufferSize|BindingSize|StorageSize/.test(name) ? ` (${bytesText(value)})` : ''}
                  </dd>
                </div>
              ))}
            </dl>
          </details>
        </>
      ) : null}
    </>
  );
}
