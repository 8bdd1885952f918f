// The page's button. It is small, unless it is the main action of its form or panel. Its icon stands before its text, or alone.
import type { ComponentProps, ReactNode } from 'react';
import { Icon, type IconName } from './Icon.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  icon?: IconName;
  /** The button's text. Other content is passed as children. A button with only an icon needs an `aria-label`. */
  label?: ReactNode;
  isLarge?: boolean;
  tone?: 'primary' | 'danger' | 'quiet';
}

export function Button({
  icon,
  label = null,
  isLarge = false,
  tone,
  className,
  children = null,
  ...rest
}: ButtonProps) {
  const isAlone = label === null && children === null;
  const classes = ['btn', isLarge ? '' : 'small', isAlone ? 'icon' : '', tone, className];
  return (
    <button type="button" className={classes.filter(Boolean).join(' ')} {...rest}>
      {icon ? <Icon name={icon} size={isLarge ? 16 : 14} /> : null}
      {label}
      {children}
    </button>
  );
}
