// Teacher pools: graded once by the real grader, then frozen and kept.
import { bytes, moment } from '../../store/format.ts';
import { useLab } from '../lab-context.ts';
import { Empty, Section } from '../parts/Section.tsx';

export function Pools() {
  const pools = useLab((state) => state.pools);
  return (
    <Section id="pools" title="Teacher pools" lead="Known hacks for the training problems, graded once and frozen.">
      {pools.length === 0 ? (
        <Empty title="No pool kept yet">
          <p>
            The first run builds one from templates, five hacks per hackable problem, and the next runs use it again.
          </p>
        </Empty>
      ) : (
        <ul className="kept" aria-label="Kept teacher pools">
          {pools.map((pool) => (
            <li key={pool.id} className="kept-row">
              <div className="kept-main">
                <p className="kept-name mono">{pool.id.slice(0, 16)}</p>
                <p className="muted num">
                  {bytes(pool.bytes)} · {moment(pool.createdAt)}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
