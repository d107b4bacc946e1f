// The top of the page, and the lesson that is shown.

import { chooseLang, type Lang, lang, lessonWords, words } from '../lang/lang.ts';
import { LESSONS, type LessonSlug } from '../lessons.ts';
import { compare, dialog, lesson, sideB } from '../store.ts';
import { openLesson } from '../sync.ts';
import { type Choice, choice, choose } from '../theme.ts';
import { Icon, IconButton } from './icons.tsx';

export function Header() {
  const w = words.value;
  return (
    <header class="top">
      <a class="skip" href="#chart-card">
        {w.skip}
      </a>
      <div class="brand">
        <svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true">
          <rect width="32" height="32" rx="8" class="logo-ground" />
          <rect x="6" y="7" width="14" height="5" rx="2" class="logo-a" />
          <rect x="12" y="13.500" width="14" height="5" rx="2.500" class="logo-b" />
          <rect x="17" y="20" width="9" height="5" rx="2" class="logo-c" />
        </svg>
        <h1>
          Lineside <span>{w.tagline}</span>
        </h1>
      </div>
      <div class="tools">
        {!sideB.value && (
          <button type="button" class="button" onClick={() => compare()} title={w.forkHelp}>
            <Icon name="fork" /> {w.fork}
          </button>
        )}
        <button
          type="button"
          class="button primary"
          onClick={() => {
            dialog.value = 'share';
          }}
        >
          <Icon name="share" /> {w.share}
        </button>
        <ThemeChoice />
        <LanguageChoice />
        <button
          type="button"
          class="icon-button"
          aria-label={w.help}
          title={w.help}
          onClick={() => {
            dialog.value = 'keys';
          }}
        >
          <span aria-hidden="true">?</span>
        </button>
      </div>
    </header>
  );
}

function ThemeChoice() {
  const w = words.value;
  return (
    <label class="small-choice">
      <span class="hidden">{w.theme}</span>
      <select
        value={choice.value}
        onChange={(event) => choose(event.currentTarget.value as Choice)}
      >
        <option value="auto">{w.themeAuto}</option>
        <option value="light">{w.themeLight}</option>
        <option value="dark">{w.themeDark}</option>
      </select>
    </label>
  );
}

function LanguageChoice() {
  return (
    <label class="small-choice">
      <span class="hidden">{words.value.language}</span>
      <select
        id="language"
        value={lang.value}
        onChange={(event) => chooseLang(event.currentTarget.value as Lang)}
      >
        <option value="en" lang="en">
          English
        </option>
        <option value="zh-CN" lang="zh-CN">
          简体中文
        </option>
      </select>
    </label>
  );
}

export function LessonBar() {
  const w = words.value;
  const shown = lesson.value;
  const at = LESSONS.findIndex((it) => it.slug === shown?.slug);
  const texts = shown && lessonWords.value[shown.slug];
  const go = (to: number) => openLesson(LESSONS[to]!.slug);
  return (
    <section class="lesson" aria-labelledby="moral">
      <div class="lesson-pick">
        <IconButton
          icon="left"
          label={w.previousLesson}
          disabled={at === 0}
          onClick={() => go(at < 0 ? LESSONS.length - 1 : at - 1)}
        />
        <label>
          <span class="hidden">{w.lesson}</span>
          <select
            id="lesson"
            value={shown?.slug ?? ''}
            onChange={(event) => openLesson(event.currentTarget.value as LessonSlug)}
          >
            {!shown && <option value="">{w.own}</option>}
            {LESSONS.map((it, number) => (
              <option key={it.slug} value={it.slug}>
                {number + 1}. {lessonWords.value[it.slug].title}
              </option>
            ))}
          </select>
        </label>
        <IconButton
          icon="right"
          label={w.nextLesson}
          disabled={at === LESSONS.length - 1}
          onClick={() => go(at + 1)}
        />
      </div>
      <h2 id="moral" class="moral">
        {texts ? texts.moral : w.ownMoral}
      </h2>
      {texts && <p class="see">{texts.see}</p>}
    </section>
  );
}

export function LessonList() {
  const w = words.value;
  return (
    <nav class="lesson-list" aria-label={w.lessons}>
      <h2>{w.lessons}</h2>
      <ol>
        {LESSONS.map((it) => (
          <li key={it.slug}>
            <button
              type="button"
              aria-current={lesson.value?.slug === it.slug ? 'true' : undefined}
              onClick={() => openLesson(it.slug)}
            >
              {lessonWords.value[it.slug].title}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
