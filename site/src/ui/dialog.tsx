// A window above the page. The focus goes in, stays in, and comes back to where it was.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { words } from '../lang/lang.ts';
import { dialog } from '../store.ts';
import { IconButton } from './icons.tsx';

interface DialogProps {
  title: string;
  children: ComponentChildren;
}

export function Dialog({ title, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    element.current?.showModal();
    return () => before?.focus();
  }, []);
  const close = () => {
    dialog.value = '';
  };
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-title"
      onClose={close}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <div class="dialog">
        <header class="card-head">
          <h2 id="dialog-title">{title}</h2>
          <IconButton icon="close" label={words.value.close} onClick={close} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
