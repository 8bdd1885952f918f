// The box that a wide table scrolls in; it takes focus, so that the keyboard can scroll it.
import type { ReactNode } from 'react';

interface TableBoxProps {
  label: string;
  className?: string;
  children: ReactNode;
}

export const TableBox = ({ label, className = '', children }: TableBoxProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
  <section className={`table-box ${className}`} aria-label={label} tabIndex={0}>
    {children}
  </section>
);
