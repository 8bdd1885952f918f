// Confirms an action that is hard to undo, with the browser's own modal dialog (focus inside, Escape for no). It is created when the
// question is asked and removed when it is answered.

interface ConfirmOptions {
  title: string;
  text: string;
  /** Label of the confirming button. */
  yes: string;
}

/** Resolves to whether the user confirmed. */
export function confirmAction({ title, text, yes }: ConfirmOptions): Promise<boolean> {
  const dialog = document.createElement('dialog');
  dialog.className = 'confirm';
  dialog.setAttribute('aria-label', title);
  const heading = Object.assign(document.createElement('h2'), { textContent: title });
  const body = Object.assign(document.createElement('p'), { textContent: text });
  const buttons = Object.assign(document.createElement('div'), { className: 'confirm-buttons' });
  const button = (label: string, value: string, tone: string) => {
    const made = Object.assign(document.createElement('button'), {
      type: 'button',
      textContent: label,
      className: `btn ${tone}`,
    });
    made.addEventListener('click', () => dialog.close(value));
    buttons.append(made);
    return made;
  };
  // The harmless button comes first, so that it receives the focus.
  button('Cancel', '', '');
  button(yes, 'yes', 'danger');
  dialog.append(heading, body, buttons);
  document.body.append(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    dialog.showModal();
  });
}
