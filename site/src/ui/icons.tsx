// Small pictures for buttons: drawn, so that no font is needed.

const PATHS = {
  play: 'M8 5.5v13l11-6.5z',
  pause: 'M7 5h4v14H7zM13 5h4v14h-4z',
  back: 'M16 5.5v13L6.5 12zM4.5 5.5h2v13h-2z',
  forward: 'M8 5.5v13l9.500-6.5zM17.500 5.5h2v13h-2z',
  start: 'M18 6v12l-7-6zM11 6v12l-7-6zM3 6h1.500v12H3z',
  end: 'M6 6v12l7-6zM13 6v12l7-6zM19.500 6H21v12h-1.500z',
  undo: 'M9 6 4 11l5 5v-3.500h5.500a3 3 0 0 1 0 6H10v2h4.500a5 5 0 0 0 0-10H9z',
  redo: 'M15 6l5 5-5 5v-3.500H9.500a3 3 0 0 0 0 6H14v2H9.500a5 5 0 0 1 0-10H15z',
  close:
    'M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 ' +
    '19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z',
  plus: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
  minus: 'M5 11h14v2H5z',
  fit: 'M4 5h2v14H4zM18 5h2v14h-2zM7 12l3-3v2h4V9l3 3-3 3v-2h-4v2z',
  left: 'M15 5 8 12l7 7 1.500-1.500L11 12l5.500-5.500z',
  right: 'M9 5l7 7-7 7-1.500-1.500L13 12 7.500 6.500z',
  share: 'M12 3l5 5h-4v7h-2V8H7zM5 13h2v6h10v-6h2v8H5z',
  fork:
    'M6 3a2.500 2.500 0 0 1 1 4.800V11h8a2 2 0 0 0 2-2V7.800a2.500 2.500 0 1 1 2 0V9a4 4 0 0 ' +
    '1-4 4H7v3.200A2.500 2.500 0 1 1 5 16.200V7.800A2.500 2.500 0 0 1 6 3z',
  help:
    'M11 16.500h2v2.200h-2zM12 5a4 4 0 0 1 4 4c0 2.700-3 3.200-3 6h-2c0-3.800 3-4 3-6a2 2 0 ' +
    '0 0-4 0H8a4 4 0 0 1 4-4z',
  bin: 'M9 4h6l1 2h4v2H4V6h4zM6 9h12l-1 11H7z',
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path d={PATHS[name]} fill="currentColor" />
    </svg>
  );
}

export type IconName = keyof typeof PATHS;

interface ButtonProps {
  icon: IconName;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  class?: string;
  keys?: string;
  pressed?: boolean;
}

export function IconButton(props: ButtonProps) {
  const { icon, label, onClick, disabled, keys, pressed } = props;
  return (
    <button
      type="button"
      class={`icon-button ${props.class ?? ''}`}
      aria-label={label}
      aria-pressed={pressed}
      aria-keyshortcuts={keys}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
