// The list of grants, page by page, and tables that sort.

const PAGE = 100;

/** A table cell with text. */
function cell(text, className, tag = 'td') {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}

function grantRow(at) {
  const row = document.createElement('tr');
  const name = cell('', '', 'th');
  name.scope = 'row';
  const chip = document.createElement('i');
  chip.className = `chip k${leases.job[at] % data.palette.length}`;
  name.append(chip, jobName(leases.job[at]));
  const why = cell('', 'why');
  for (const [bit, word] of [[1, 'cold'], [2, 'fallback'], [4, 'failed'], [8, 'revoked']]) {
    if (data.leases.flags[at] & bit) why.append(cell(word, '', 'em'), ' ');
  }
  why.append(whyOf(at));
  row.append(name, cell(moment(leases.begin[at]), 'n'), cell(unitsOf(at)),
    cell(duration(data.leases.waited[at]), 'n'), why);
  return row;
}

function grants() {
  const section = document.getElementById('grants');
  if (!section) return;
  const body = section.querySelector('tbody');
  const more = section.querySelector('.more');
  const search = section.querySelector('input');
  let found = [];
  let shown = 0;
  const page = () => {
    body.append(...found.slice(shown, shown + PAGE).map(grantRow));
    shown = Math.min(found.length, shown + PAGE);
    const rest = found.length - shown;
    const text = rest ? `${rest.toLocaleString('en')} more ` : found.length ? '' : 'None. ';
    const note = cell(text, 'hint', 'p');
    if (rest) {
      const button = cell(`Show ${Math.min(rest, PAGE)}`, '', 'button');
      button.type = 'button';
      button.addEventListener('click', page);
      note.append(button);
    }
    if (data.grants > leases.count) {
      const [listed, all] = [leases.count, data.grants].map((it) => it.toLocaleString('en'));
      note.append(` This page lists the first ${listed} of ${all} grants.`);
    }
    more.replaceChildren(note);
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = [];
    for (let at = 0; at < leases.count; at += 1) {
      const text = `${jobName(leases.job[at])} ${unitsOf(at)} ${whyOf(at)}`.toLowerCase();
      if (words.every((word) => text.includes(word))) found.push(at);
    }
    shown = 0;
    body.replaceChildren();
    page();
  };
  search.hidden = false;
  search.addEventListener('input', filter);
  filter();
}

/** Headings become buttons that sort their table, down first. */
function sorts(table) {
  const body = table.querySelector('tbody');
  table.querySelectorAll('thead th').forEach((heading, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener('click', () => {
      const down = heading.getAttribute('aria-sort') !== 'descending';
      table.querySelectorAll('thead th').forEach((it) => it.removeAttribute('aria-sort'));
      heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const value = (row) => row.cells[column].dataset.n;
      const text = (row) => row.cells[column].textContent;
      const order = (a, b) => (value(a) === undefined ? text(b).localeCompare(text(a))
        : value(b) - value(a));
      body.append(...[...body.rows].sort((a, b) => (down ? order(a, b) : order(b, a))));
    });
  });
}

grants();
document.querySelectorAll('table.sorts').forEach(sorts);
