//! `status`, `cancel`, `drain` and `logs`: a run, from another terminal.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use lineside_backends::host::Site;
use lineside_backends::journal::{EndOfJob, JobHistory};

use crate::arguments::{Cancel, Drain, Logs, Status};
use crate::run::{Answer, Journal, Request, socket};
use crate::words::printable;
use crate::{DONE, Refusal, terminal};

pub(crate) fn status(arguments: &Status) -> Result<u8, Refusal> {
    let status = match ask(&arguments.out, &Request::Status)? {
        Some(Answer::Status(status)) => json_of(&status),
        Some(Answer::Refused(why)) => return Err(Refusal(format!("error: {why}"))),
        Some(Answer::Done) | None => status_on_disk(&arguments.out)?,
    };
    let text = match arguments.json {
        true => format!("{}\n", serde_json::to_string_pretty(&status).unwrap_or_default()),
        false => shown(&status),
    };
    terminal::print(&text)?;
    Ok(DONE)
}

pub(crate) fn cancel(arguments: &Cancel) -> Result<u8, Refusal> {
    command(&arguments.out, &Request::Cancel { job: arguments.job.clone() })
}

pub(crate) fn drain(arguments: &Drain) -> Result<u8, Refusal> {
    command(&arguments.out, &Request::Drain { unit: arguments.unit.clone() })
}

pub(crate) fn logs(arguments: &Logs) -> Result<u8, Refusal> {
    let site = Site::new(PathBuf::from("."), arguments.out.clone(), String::new());
    let folder = site.logs_of(&arguments.job);
    check_job(&arguments.out, &arguments.job)?;
    let mut read: Vec<(PathBuf, u64)> = Vec::new();
    loop {
        // What is asked first is known to be over when all was read after it.
        let over = !arguments.follow || ask(&arguments.out, &Request::Status)?.is_none();
        print_new(&folder, &mut read)?;
        if over {
            return Ok(DONE);
        }
        thread::sleep(Duration::from_millis(200));
    }
}

fn command(out: &Path, request: &Request) -> Result<u8, Refusal> {
    match ask(out, request)? {
        Some(Answer::Done) => Ok(DONE),
        Some(Answer::Refused(why)) => Err(Refusal(format!("error: {why}"))),
        Some(Answer::Status(_)) | None => {
            Journal::look(out)?;
            Err(Refusal(format!("error: no runner works in {}", out.display())))
        }
    }
}

/// Asks the runner; none if there is none.
fn ask(out: &Path, request: &Request) -> Result<Option<Answer>, Refusal> {
    let Ok((_folder, path)) = socket(out) else { return Ok(None) };
    let Ok(mut stream) = UnixStream::connect(path) else { return Ok(None) };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let mut line = serde_json::to_string(request).unwrap_or_default();
    line.push('\n');
    let mut answer = String::new();
    let asked = stream.write_all(line.as_bytes());
    let heard = asked.and_then(|()| BufReader::new(&stream).read_line(&mut answer));
    match heard {
        Ok(0) | Err(_) => Ok(None),
        Ok(_) => serde_json::from_str(&answer)
            .map(Some)
            .map_err(|error| Refusal(format!("error: the runner answers strangely: {error}"))),
    }
}

fn json_of(status: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(status).unwrap_or_default()
}

/// How a run stands at which no runner is.
fn status_on_disk(out: &Path) -> Result<serde_json::Value, Refusal> {
    let history = Journal::look(out)?.history;
    let job = |job: &JobHistory| {
        let state = match job.end {
            Some(EndOfJob::Done) => "done",
            Some(EndOfJob::Failed) => "failed",
            Some(EndOfJob::Cancelled) => "cancelled",
            Some(EndOfJob::Skipped) => "skipped",
            None => "not ended",
        };
        serde_json::json!({
            "name": job.key.name, "state": state, "done": job.done.count(),
            "images": job.key.images,
        })
    };
    let jobs: Vec<serde_json::Value> = history.jobs.iter().map(job).collect();
    Ok(serde_json::json!({ "running": false, "jobs": jobs, "units": [] }))
}

fn shown(status: &serde_json::Value) -> String {
    let text = |value: &serde_json::Value, key: &str| {
        printable(value[key].as_str().unwrap_or_default()).into_owned()
    };
    let list = |key: &str| status[key].as_array().cloned().unwrap_or_default();
    let mut shown = match status["running"].as_bool() {
        Some(true) => "running\n".to_owned(),
        _ => "no runner; `lineside run FILE --out DIR --resume` goes on\n".to_owned(),
    };
    for job in list("jobs") {
        let count = format!("{}/{}", job["done"], job["images"]);
        shown += &format!("  {:<20} {count:>9}  {}\n", text(&job, "name"), text(&job, "state"));
    }
    for unit in list("units") {
        let jobs = unit["jobs"].as_array().cloned().unwrap_or_default();
        let jobs: Vec<&str> = jobs.iter().filter_map(|job| job.as_str()).collect();
        let holds = match jobs.is_empty() {
            true => "free".to_owned(),
            false => printable(&jobs.join(", ")).into_owned(),
        };
        shown += &format!("  {:<20} {:>9}  {holds}\n", text(&unit, "name"), text(&unit, "state"));
    }
    shown
}

fn check_job(out: &Path, job: &str) -> Result<(), Refusal> {
    let history = Journal::look(out)?.history;
    if history.jobs.iter().any(|known| known.key.name == job) {
        return Ok(());
    }
    let names: Vec<&str> = history.jobs.iter().map(|known| known.key.name.as_str()).collect();
    Err(Refusal(format!("error: there is no job `{job}`\nhelp: there are {}", names.join(", "))))
}

/// Prints what was written since it was last asked, log after log.
fn print_new(folder: &Path, read: &mut Vec<(PathBuf, u64)>) -> Result<(), Refusal> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let at = read.iter().position(|(known, _)| *known == path);
        let from = at.map_or(0, |at| read[at].1);
        // It may have been removed meanwhile, since nothing stood in it.
        let Ok(mut file) = File::open(&path) else { continue };
        let mut bytes = Vec::new();
        let found = file.seek(SeekFrom::Start(from)).and_then(|_| file.read_to_end(&mut bytes));
        if found.is_err() || bytes.is_empty() {
            continue;
        }
        if at.is_none() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            terminal::print(&format!("== {name}\n"))?;
        }
        terminal::print(&String::from_utf8_lossy(&bytes))?;
        let to = from + bytes.len() as u64;
        match at {
            Some(at) => read[at].1 = to,
            None => read.push((path, to)),
        }
    }
    Ok(())
}
