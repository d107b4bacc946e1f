//! `lineside run`.

#[cfg(target_os = "linux")]
mod control;
mod folder;
mod here;
mod interrupt;
mod journal;
mod keys;
mod onlooker;
mod session;
mod tell;
mod work;

use std::sync::Arc;

use lineside_backends::devices::with_gpus;
use lineside_backends::host::{self, Register, Site};

use crate::arguments::Run;
use crate::lease::Held;
use crate::machine::{self, Machine};
use crate::{Refusal, file};
#[cfg(target_os = "linux")]
pub(crate) use control::{Answer, Request, socket};
pub(crate) use journal::Journal;

pub(crate) fn run(arguments: &Run) -> Result<u8, Refusal> {
    let show = onlooker::Show::wanted(arguments.watch)?;
    let machine = Machine::new(arguments);
    let mut file = file::open_to_run(&arguments.file, &arguments.trust, &machine)?;
    let (mut units, gpus) = machine::gpus(machine.bind(&mut file.checked.line)?);
    let (line, gpus) = (&file.checked.line, Arc::new(gpus));
    here::check_fits(line, &here::absent_units(&units))?;
    let held = machine.hold(line, &units)?;
    let out = match arguments.resume {
        true => folder::folder_to_resume(arguments)?,
        false => folder::make_out_folder(arguments)?,
    };
    let mut session = match arguments.resume {
        true => session::open(&out)?,
        false => session::create(&out)?,
    };
    let mut site = Site::new(file.folder.clone(), out.clone(), session.marker());
    site.environment.extend(held.as_ref().map(Held::marker));
    let site = Arc::new(site);
    let journal = session.journal.clone();
    let register: Arc<Register> =
        Arc::new(move |identity, lease| journal.add_process(identity, lease));
    let tools = host::tools(line, &site, &register)
        .and_then(|tools| with_gpus(line, &file.folder, tools, &gpus));
    let tools = tools.map_err(|faults| {
        if !arguments.resume {
            folder::remove_what_was_made(&out);
        }
        Refusal(faults.iter().map(|fault| format!("error: {fault}\n")).collect())
    })?;
    session.begin(line, &file, &out, &mut units);
    tell::tell_what_is_left_out(line, &here::absent_units(&units));
    let ran = work::work(line, tools, units, &gpus, &session, &out, show)?;
    machine::tell(&gpus);
    tell::finish(arguments, line, ran, &out)
}
