//! Tools that are programs of the user.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::path::Path;

use lineside_line::{Line, Part, Program};

use super::process::Identity;
use super::program::{Launcher, Site, absolute};
use super::tool::Tool;

/// Is told of each process as it begins to run, and of the number of the lease that it is for.
pub type Register = dyn Fn(&Identity, u64) + Send + Sync;

/// Makes the tools of the jobs that have a program.
pub(super) struct Programs<'l> {
    line: &'l Line,
    site: &'l Arc<Site>,
    register: &'l Arc<Register>,
    /// The model of each.
    #[cfg(target_os = "linux")]
    pools: Vec<(u32, Arc<super::worker::Pool>)>,
}

impl<'l> Programs<'l> {
    pub(super) fn new(line: &'l Line, site: &'l Arc<Site>, register: &'l Arc<Register>) -> Self {
        Programs {
            line,
            site,
            register,
            #[cfg(target_os = "linux")]
            pools: Vec::new(),
        }
    }

    fn launcher(&self, job: u32, program: &Program) -> Result<Launcher, String> {
        let folder = absolute(&self.site.folder);
        let dir = program.dir.as_ref().map_or(folder.clone(), |dir| folder.join(dir));
        if !dir.is_dir() {
            return Err(format!("there is no folder {} to run it in", dir.display()));
        }
        if !program.shell {
            find_program(program, &dir)?;
        }
        let files = self.line.files_of(job).iter().map(|file| folder.join(file));
        Ok(Launcher {
            program: program.clone(),
            job: self.line.jobs[job as usize].name.clone(),
            site: self.site.clone(),
            files: files.collect(),
        })
    }

    #[cfg(target_os = "linux")]
    pub(super) fn run(&self, job: u32, program: &Program) -> Result<Box<dyn Tool>, String> {
        let launcher = self.launcher(job, program)?;
        Ok(Box::new(super::run::Run { launcher, register: self.register.clone() }))
    }

    #[cfg(target_os = "linux")]
    pub(super) fn worker(&mut self, job: u32, program: &Program) -> Result<Box<dyn Tool>, String> {
        use super::worker::{Pool, Worker};
        let launcher = self.launcher(job, program)?;
        let it = &self.line.jobs[job as usize];
        let shared = self.pools.iter().find(|(model, pool)| {
            it.model == Some(*model) && pool.is_of(&launcher) && !names_the_job(program)
        });
        let pool = match shared {
            Some((_, pool)) => pool.clone(),
            None => Arc::new(Pool::new(launcher.clone(), self.register.clone())),
        };
        self.pools.extend(it.model.map(|model| (model, pool.clone())));
        let upstreams = it.after.iter().map(|edge| &self.line.jobs[edge.upstream as usize].name);
        Ok(Box::new(Worker { pool, launcher, upstreams: upstreams.cloned().collect() }))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn run(&self, job: u32, program: &Program) -> Result<Box<dyn Tool>, String> {
        self.launcher(job, program)?;
        let _ = self.register;
        Err("programs are run on Linux only, so far".to_string())
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn worker(&mut self, job: u32, program: &Program) -> Result<Box<dyn Tool>, String> {
        self.run(job, program)
    }
}

/// What such a program is started with is for one job alone.
#[cfg(target_os = "linux")]
fn names_the_job(program: &Program) -> bool {
    let templates = program.command.iter().chain(program.env.values());
    let mut parts = templates.flat_map(|template| &template.parts);
    parts.any(|part| matches!(part, Part::Out | Part::In(_)))
}

/// A program that is not there is told of before anything starts.
fn find_program(program: &Program, dir: &Path) -> Result<(), String> {
    let Some(Part::Text(name)) = program.command.first().and_then(|it| it.parts.first()) else {
        return Ok(());
    };
    if program.command[0].parts.len() > 1 {
        return Ok(());
    }
    if Path::new(name).components().count() > 1 {
        let path = dir.join(name);
        return match path.is_file() {
            true => Ok(()),
            false => Err(format!("there is no program {}", path.display())),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    match std::env::split_paths(&path).any(|folder| folder.join(name).is_file()) {
        true => Ok(()),
        false => Err(format!("there is no program `{name}` on the PATH").to_string()),
    }
}
