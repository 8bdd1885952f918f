// The top of the page: name, device, theme and sharing.
import { useState } from 'react';
import { duration } from '../lib/numbers.ts';
import { useLab } from './lab-context.ts';
import { Button } from './parts/Button.tsx';
import { Icon, type IconName, Logo } from './parts/Icon.tsx';
import { ViewLink } from './parts/links.tsx';
import { Popover } from './parts/Popover.tsx';
import { writeStored } from './parts/stored.ts';
import { openView } from './parts/view.ts';
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
              What does RL teach a model besides what it pays for? Train small ones in this tab and see.{' '}
              <a href="./docs/index.html" target="_blank" rel="noreferrer">
                Docs
              </a>
            </p>
          </div>
        </div>
        <div className="top-tools">
          <Opening />
          <DeviceBadge />
          <ThemeToggle />
          <ShareLinkButton />
        </div>
      </div>
    </header>
  );
}

function DeviceBadge() {
  const device = useLab((state) => state.device);
  const connection = useLab((state) => state.connection);
  // If no device could be opened, the device page states why.
  if (connection.status === 'failed')
    return (
      <ViewLink view="device" className="badge device">
        <Icon name="chip" />
        <span className="device-name">no device</span>
      </ViewLink>
    );
  if (!device) {
    return (
      <span className="badge device" role="status">
        <Icon name="chip" />
        <span className="device-name">opening the device …</span>
      </span>
    );
  }
  const kind = device.kind === 'webgpu' ? 'WebGPU' : 'CPU';
  const detail = device.name.startsWith(`${kind} `) ? device.name.slice(kind.length + 1) : device.name;
  return (
    <Popover
      label="About the device"
      className="badge device"
      trigger={
        <>
          <Icon name="chip" />
          <span className="sr">Device: </span>
          <span className="device-name">
            <b>{kind}</b> <span className="device-detail">{detail}</span>
          </span>
        </>
      }
    >
      {(close) => (
        <div className="popover-help">
          <p>
            <b>{device.name}</b>
            {device.isSoftware ? ' (a software adapter)' : ''}
          </p>
          <p>{device.reason}</p>
          <p className="muted">Chosen under Configure → All settings.</p>
          <Button
            label="Device page"
            onClick={() => {
              close();
              openView('device');
            }}
          />
        </div>
      )}
    </Popover>
  );
}

/** Progress of factoring the model, which a basis, a probe or an answer waits for. */
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
    writeStored('theme', next.theme);
  }

  return (
    <Button
      icon={THEMES[at].icon}
      isLarge
      onClick={choose}
      title={`Theme: ${THEMES[at].label}`}
      aria-label={`Theme: ${THEMES[at].label}. Switch to ${next.label}.`}
    />
  );
}
