// The page's button: small, unless it is what its form or panel is there for. Its icon stands before its words, or alone.
import type { ComponentProps, ReactNode } from 'react';
import { Icon, type IconName } from './Icon.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  icon?: IconName;
  /** Its words; what is more than words is among the children. An icon alone has an `aria-label`. */
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
