// The build takes line files in as text.
declare module '*.toml' {
  const text: string;
  export default text;
}

declare module '*.csv' {
  const text: string;
  export default text;
}
