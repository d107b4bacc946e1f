//! The book on disk.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::book::{Ask, Book, Entry, Holder, NeverFits, Ticket, Unit};
use crate::process::ThisMachine;

/// What a file begins with: what it is, and how it is to be read.
const HEAD: &[u8; 8] = b"lnsdreg1";

/// How long a change waits before it looks again: somebody else's end is not told.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// The registry of a machine, or of a user.
///
/// ```no_run
/// use std::time::Duration;
/// use lineside_registry::{Ask, Registry, Unit};
///
/// let units = [Unit { key: "GPU-1".into(), places: vec!["cuda".into()], memory: None }];
/// let registry = Registry::new(Registry::usual_folder()?);
/// let entry = registry.wait(&units, Ask::default(), Some(Duration::from_secs(60)), |_| {})?;
/// assert_eq!(entry.units.unwrap(), ["GPU-1"]);
/// registry.leave(entry.ticket)?;
/// # Ok::<(), lineside_registry::Problem>(())
/// ```
#[derive(Debug, Clone)]
pub struct Registry {
    folder: PathBuf,
}

/// Why there is no lease.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// It would wait for ever.
    NeverFits(NeverFits),
    /// The time to wait is over; who is ahead.
    TimeIsOver(Vec<Entry>),
    /// A file can't be read, written or locked.
    File(PathBuf, io::Error),
    /// A file was not written by this program, or was changed since.
    Damaged(PathBuf),
    /// Processes can't be told apart on this system.
    NotHere,
    /// There is no folder for it.
    NoFolder,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NeverFits(why) => write!(f, "it would wait for ever: {why}"),
            Problem::TimeIsOver(ahead) => {
                write!(f, "the time to wait is over; ")?;
                let names: Vec<String> = ahead.iter().map(Entry::name).collect();
                write!(f, "held by, or first in the queue: {}", names.join(", "))
            }
            Problem::File(path, error) => write!(f, "{}: {error}", path.display()),
            Problem::Damaged(path) => write!(
                f,
                "{} is damaged, so nobody knows who holds what; once nothing runs on the GPUs any \
                 more, remove it",
                path.display()
            ),
            Problem::NotHere => write!(f, "leases among programs need Linux"),
            Problem::NoFolder => write!(
                f,
                "there is no folder for the registry: set LINESIDE_REGISTRY or XDG_RUNTIME_DIR, or \
                 make /run/lineside, which all users of this machine can write to"
            ),
        }
    }
}

impl std::error::Error for Problem {}

impl Entry {
    /// What people call it.
    pub fn name(&self) -> String {
        let pid = self.holder.identity.pid;
        if self.ask.label.is_empty() {
            format!("process {pid}")
        } else {
            format!("{} (process {pid})", self.ask.label)
        }
    }
}

impl Registry {
    /// The registry in a folder, which need not be there yet.
    pub fn new(folder: PathBuf) -> Self {
        Registry { folder }
    }

    /// `LINESIDE_REGISTRY`; else `/run/lineside`, if it is there, for all users of the machine;
    /// else `lineside` in the user's `XDG_RUNTIME_DIR`.
    ///
    /// # Errors
    ///
    /// [`Problem::NoFolder`] if there is none of them.
    pub fn usual_folder() -> Result<PathBuf, Problem> {
        if let Some(folder) = std::env::var_os("LINESIDE_REGISTRY").filter(|it| !it.is_empty()) {
            return Ok(folder.into());
        }
        let shared = Path::new("/run/lineside");
        if shared.is_dir() {
            return Ok(shared.to_owned());
        }
        let own = std::env::var_os("XDG_RUNTIME_DIR").filter(|it| !it.is_empty());
        own.map(|own| Path::new(&own).join("lineside")).ok_or(Problem::NoFolder)
    }

    /// Queues up and waits until the units are there. While it waits, `tell` is handed those that
    /// are ahead, each time they change.
    ///
    /// # Errors
    ///
    /// [`Problem`]; then nothing is held, and nobody waits.
    pub fn wait(
        &self,
        units: &[Unit],
        ask: Ask,
        at_most: Option<Duration>,
        mut tell: impl FnMut(&[Entry]),
    ) -> Result<Entry, Problem> {
        let identity = ThisMachine.this_process().ok_or(Problem::NotHere)?;
        let holder = Holder { identity, user: ThisMachine.this_user() };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let entered = self.change(units, |book| book.enter(units, ask, holder, since.as_secs()))?;
        let ticket = entered.map_err(Problem::NeverFits)?;
        let began = std::time::Instant::now();
        let mut ahead = Vec::new();
        loop {
            let seen = self.change(units, |book| {
                let mine = book.entry(ticket).cloned();
                let before = book.entries().iter().filter(|entry| entry.ticket < ticket);
                (mine, before.cloned().collect::<Vec<Entry>>())
            });
            match seen {
                Ok((Some(entry), _)) if entry.units.is_some() => return Ok(entry),
                Ok((_, before)) if before != ahead => {
                    tell(&before);
                    ahead = before;
                }
                Ok(_) => {}
                Err(problem) => {
                    // If it can't be struck out now, it will be when this process is gone.
                    let _ = self.leave(ticket);
                    return Err(problem);
                }
            }
            if at_most.is_some_and(|at_most| began.elapsed() >= at_most) {
                self.leave(ticket)?;
                return Err(Problem::TimeIsOver(ahead));
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Gives back what is held, or stops waiting.
    ///
    /// # Errors
    ///
    /// [`Problem`], if the file can't be changed.
    pub fn leave(&self, ticket: Ticket) -> Result<(), Problem> {
        let _lock = self.lock()?;
        let mut book = self.read()?;
        book.leave(ticket);
        self.write(&book)
    }

    /// Everyone who waits or holds, and whose processes live.
    ///
    /// # Errors
    ///
    /// [`Problem`], if the file can't be read.
    pub fn entries(&self) -> Result<Vec<Entry>, Problem> {
        if !self.folder.is_dir() {
            return Ok(Vec::new());
        }
        let _lock = self.lock()?;
        let mut book = self.read()?;
        book.strike(&ThisMachine);
        Ok(book.entries().to_vec())
    }

    /// One change, which nobody else sees half done: those whose processes are gone are struck
    /// out, what is free is given out, before and after it.
    fn change<T>(&self, units: &[Unit], with: impl FnOnce(&mut Book) -> T) -> Result<T, Problem> {
        let _lock = self.lock()?;
        let before = self.read()?;
        let mut book = before.clone();
        book.strike(&ThisMachine);
        book.grant(units);
        let answer = with(&mut book);
        book.grant(units);
        if book != before {
            self.write(&book)?;
        }
        Ok(answer)
    }

    /// The lock is given back when the file is closed, also by the death of its process.
    fn lock(&self) -> Result<File, Problem> {
        fs::create_dir_all(&self.folder).map_err(at(&self.folder))?;
        let path = self.folder.join("lock");
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let file = options.open(&path).map_err(at(&path))?;
        file.lock().map_err(at(&path))?;
        Ok(file)
    }

    fn path(&self) -> PathBuf {
        self.folder.join("leases")
    }

    fn read(&self) -> Result<Book, Problem> {
        let path = self.path();
        match fs::read(&path) {
            Ok(bytes) => decode(&bytes).ok_or(Problem::Damaged(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Book::default()),
            Err(error) => Err(Problem::File(path, error)),
        }
    }

    /// All or nothing, whenever the machine dies.
    fn write(&self, book: &Book) -> Result<(), Problem> {
        let new = self.folder.join("leases.new");
        let mut file = File::create(&new).map_err(at(&new))?;
        file.write_all(&encode(book)).and_then(|()| file.sync_data()).map_err(at(&new))?;
        drop(file);
        fs::rename(&new, self.path()).map_err(at(&new))
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> Problem {
    let path = path.to_owned();
    move |error| Problem::File(path, error)
}

fn encode(book: &Book) -> Vec<u8> {
    let body = postcard::to_allocvec(book).expect("a book is plain data");
    [&HEAD[..], &crc32fast::hash(&body).to_le_bytes(), &body].concat()
}

/// The book in the bytes of a file; none if they are not what was written.
fn decode(bytes: &[u8]) -> Option<Book> {
    let rest = bytes.strip_prefix(HEAD)?;
    let (sum, body) = rest.split_at_checked(4)?;
    let sum = u32::from_le_bytes(sum.try_into().ok()?);
    let (book, left) = postcard::take_from_bytes(body).ok()?;
    (sum == crc32fast::hash(body) && left.is_empty()).then_some(book)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_with_one_byte_changed_or_cut_off_is_read() {
        let units = [Unit { key: "u".into(), places: vec!["cuda".into()], memory: Some(9) }];
        let mut book = Book::default();
        let identity = crate::Identity { pid: 1, started: 2, boot: "b".into() };
        let holder = Holder { identity, user: 3 };
        book.enter(&units, Ask::default(), holder, 4).expect("it fits");
        book.grant(&units);
        let bytes = encode(&book);
        assert_eq!(decode(&bytes), Some(book));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(decode(&changed), None, "byte {at}");
            assert_eq!(decode(&bytes[..at]), None, "{at} bytes");
        }
        assert_eq!(decode(&[&bytes[..], b"x"].concat()), None);
    }
}
