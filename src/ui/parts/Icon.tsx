// The page's icons: strokes on a grid of 16 units in the text's colour. They are only decorative, and every control has its own accessible
// name.
import type { ReactNode } from 'react';

const PATHS = {
  play: <path d="M5 3.2v9.6L12.8 8z" fill="currentColor" stroke="none" />,
  pause: <path d="M5.4 3.6v8.8M10.6 3.6v8.8" strokeWidth="2.4" />,
  step: <path d="M4 3.4v9.2L10.2 8zM12 3.6v8.8" fill="currentColor" strokeWidth="1.6" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1.2" fill="currentColor" stroke="none" />,
  share: <path d="M8 9.5V2.2M5.2 4.8 8 2l2.8 2.8M3 8.5v4.2c0 .5.4.8.8.8h8.4c.5 0 .8-.4.8-.8V8.5" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.6v1.5M8 12.9v1.5M1.6 8h1.5M12.9 8h1.5M3.5 3.5l1 1M11.5 11.5l1 1M12.5 3.5l-1 1M4.5 11.5l-1 1" />
    </>
  ),
  moon: <path d="M13.4 9.7A5.8 5.8 0 0 1 6.3 2.6a5.8 5.8 0 1 0 7.1 7.1z" />,
  auto: (
    <>
      <circle cx="8" cy="8" r="5.6" />
      <path d="M8 2.4a5.6 5.6 0 0 1 0 11.2z" fill="currentColor" stroke="none" />
    </>
  ),
  download: <path d="M8 2.2v7.3M5.2 6.8 8 9.6l2.8-2.8M3 11v1.7c0 .5.4.8.8.8h8.4c.5 0 .8-.4.8-.8V11" />,
  upload: <path d="M8 9.8V2.5M5.2 5.2 8 2.4l2.8 2.8M3 11v1.7c0 .5.4.8.8.8h8.4c.5 0 .8-.4.8-.8V11" />,
  trash: <path d="M3 4.4h10M6.4 4.4V2.8h3.2v1.6M4.2 4.4l.6 8.8h6.4l.6-8.8M6.8 7v3.8M9.2 7v3.8" />,
  open: <path d="M6.2 3.4 10.8 8l-4.6 4.6" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  check: <path d="m3.4 8.4 3 3 6.2-6.6" />,
  warn: <path d="M8 2.4 14.2 13H1.8zM8 6.6v3M8 11.3v.1" />,
  chip: (
    <>
      <rect x="4.2" y="4.2" width="7.6" height="7.6" rx="1.2" />
      <path d="M6.3 1.8v2.4M9.7 1.8v2.4M6.3 11.8v2.4M9.7 11.8v2.4M1.8 6.3h2.4M1.8 9.7h2.4M11.8 6.3h2.4M11.8 9.7h2.4" />
    </>
  ),
  resume: <path d="M3 8a5 5 0 1 0 1.7-3.8M3 2.4v3h3" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {PATHS[name]}
    </svg>
  );
}

/** The logo: a gradient, the hack axis below it, and the remainder after the projection. */
export function Logo() {
  return (
    <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7.5" fill="var(--accent)" />
      <g fill="none" stroke="var(--accent-ink)" strokeLinecap="round" strokeLinejoin="round">
        <path d="M7 25.2h18.5" strokeWidth="1.5" opacity=".55" />
        <path d="M22.2 8.6v15.2" strokeWidth="1.6" strokeDasharray="0.1 3.2" />
        <path d="M7 25 22 8.4M15.4 8.2H22.2V15" strokeWidth="2.3" />
      </g>
    </svg>
  );
}
