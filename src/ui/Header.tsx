// The top of the page: what this is, what it computes on, theme, sharing.
import { useLayoutEffect, useRef, useState } from 'react';
import { duration } from '../store/format.ts';
import { useLab } from './lab-context.ts';
import { Icon, type IconName, Logo } from './parts/Icon.tsx';
import { ViewLink } from './parts/ViewLink.tsx';
import { useView, VIEWS } from './parts/view.ts';
import { ShareLinkButton } from './share/ShareLinkButton.tsx';

export function Header() {
  return (
    <header className="top">
      <div className="top-in">
        <div className="brand">
          <Logo />
          <div>
            <h1>Projected GRPO Lab</h1>
            <p>
              Can a hack direction be projected out of reinforcement learning? Train a small coder in this tab and see.
            </p>
          </div>
        </div>
        <div className="top-tools">
          <Opening />
          <DeviceBadge />
          <ThemeToggle />
          <ShareLinkButton small={false} />
        </div>
      </div>
      <ViewLinks />
    </header>
  );
}

function ViewLinks() {
  const view = useView();
  const row = useRef<HTMLUListElement>(null);
  // A phone has room for some of them: the open one is among those. Only the row is scrolled, never the page.
  useLayoutEffect(() => {
    const box = row.current?.getBoundingClientRect();
    const link = row.current?.children[VIEWS.findIndex(({ id }) => id === view)]?.getBoundingClientRect();
    if (row.current && box && link) row.current.scrollLeft += link.left + link.width / 2 - box.left - box.width / 2;
  }, [view]);
  return (
    <nav className="views" aria-label="Views">
      <ul ref={row}>
        {VIEWS.map(({ id, label }) => (
          <li key={id}>
            <ViewLink view={id}>{label}</ViewLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function DeviceBadge() {
  const device = useLab((state) => state.device);
  const connection = useLab((state) => state.connection);
  if (!device) {
    return (
      <span className="badge" role="status">
        <Icon name="chip" />
        {connection.status === 'failed' ? 'no device' : 'opening the device …'}
      </span>
    );
  }
  const kind = device.kind === 'webgpu' ? 'WebGPU' : 'CPU';
  const detail = device.name.startsWith(`${kind} `) ? device.name.slice(kind.length + 1) : device.name;
  return (
    <details className="device">
      <summary className="badge" title={device.reason}>
        <Icon name="chip" />
        <span className="sr">Device: </span>
        <span className="device-name">
          <b>{kind}</b> <span className="device-detail">{detail}</span>
        </span>
      </summary>
      <div className="pop">
        <p>
          <b>{device.name}</b>
          {device.isSoftware ? ' (a software adapter)' : ''}
        </p>
        <p>{device.reason}</p>
        <p className="muted">Chosen under Configure → Device.</p>
      </div>
    </details>
  );
}

/** A basis, a probe or an answer that waits until the model is factored. */
function Opening() {
  const opening = useLab((state) => state.opening);
  if (!opening) return null;
  const { what, fraction, etaSeconds } = opening;
  return (
    <span className="badge num" role="status">
      {what}, {Math.floor(100 * fraction)}%{etaSeconds === null ? '' : `, ${duration(etaSeconds)} left`}
    </span>
  );
}

type Theme = 'auto' | 'light' | 'dark';
const THEMES: readonly { theme: Theme; icon: IconName; label: string }[] = [
  { theme: 'auto', icon: 'auto', label: 'as the system' },
  { theme: 'light', icon: 'sun', label: 'light' },
  { theme: 'dark', icon: 'moon', label: 'dark' },
];

function ThemeToggle() {
  const [theme, setTheme] = useState<Theme>(() => (document.documentElement.dataset.theme as Theme) ?? 'auto');
  const at = THEMES.findIndex((entry) => entry.theme === theme);
  const next = THEMES[(at + 1) % THEMES.length];

  function choose(): void {
    setTheme(next.theme);
    if (next.theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next.theme;
    try {
      localStorage.setItem('theme', next.theme);
    } catch {
      // A private window may refuse; the choice then lasts as long as the page.
    }
  }

  return (
    <button
      type="button"
      className="btn icon"
      onClick={choose}
      title={`Theme: ${THEMES[at].label}`}
      aria-label={`Theme: ${THEMES[at].label}. Switch to ${next.label}.`}
    >
      <Icon name={THEMES[at].icon} />
    </button>
  );
}
