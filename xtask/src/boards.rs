//! `cargo xtask boards`: makes the boards of the inspection example.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use lineside_vision::boards::{Board, Series};
use lineside_vision::defect::{Defect, truth_table};

/// The seed of the boards that the repository carries.
const SEED: u64 = 7;
const LINE_FILE: &str = include_str!("boards-line.toml");

/// What to make, and where.
#[derive(Args)]
pub(crate) struct Options {
    /// Boards of the same seed are the same, byte for byte, on every platform
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    /// The folder to write to; it is made if need be, and boards already in it are replaced
    #[arg(long, value_name = "DIR", default_value = "examples/pcb")]
    out: PathBuf,
    /// How many boards to picture
    #[arg(long, value_name = "N", default_value_t = 24)]
    #[arg(value_parser = value_parser!(u32).range(1..=99))]
    count: u32,
}

/// Makes the boards and writes them.
pub(crate) fn make(options: &Options) -> Result<(), String> {
    let folder = options.out.join("boards");
    fs::create_dir_all(&folder)
        .map_err(|error| format!("can't make the folder {}: {error}", folder.display()))?;
    remove_boards(&folder)?;
    let series = Series::new(options.seed);
    let encoded = |error| format!("can't encode a picture: {error}");
    let golden = series.golden().png().map_err(encoded)?;
    write(&options.out.join("golden.png"), &golden)?;
    let (mut truth, mut bytes) = (Vec::new(), golden.len());
    for Board { image, shot, truth: faults } in (1..=options.count).map(|n| series.board(n)) {
        let picture = shot.png().map_err(encoded)?;
        write(&folder.join(&image), &picture)?;
        bytes += picture.len();
        truth.extend(faults);
    }
    write(&options.out.join("truth.csv"), truth_table(&truth).as_bytes())?;
    write(&options.out.join("line.toml"), LINE_FILE.as_bytes())?;
    eprintln!("{}", summary(options, &truth, bytes));
    Ok(())
}

fn summary(options: &Options, truth: &[Defect], bytes: usize) -> String {
    let mut faulty: Vec<&str> = truth.iter().map(|defect| defect.image.as_str()).collect();
    faulty.dedup();
    format!(
        "{} boards of seed {} in {}: {} good, {} faults on the others; pictures {}.{:02} MB",
        options.count,
        options.seed,
        options.out.display(),
        options.count as usize - faulty.len(),
        truth.len(),
        bytes / 1_000_000,
        bytes / 10_000 % 100
    )
}

/// Removes the pictures of an earlier run, which may have made more of them.
fn remove_boards(folder: &Path) -> Result<(), String> {
    let unreadable = |error| format!("can't read the folder {}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("board-") && name.ends_with(".png") {
            fs::remove_file(&path)
                .map_err(|error| format!("can't remove {}: {error}", path.display()))?;
        }
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("can't write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(name: &str) -> Vec<u8> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/pcb").join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    #[test]
    fn the_example_is_what_the_generator_makes() {
        let series = Series::new(SEED);
        assert!(example("golden.png") == series.golden().png().unwrap(), "golden.png differs");
        assert!(example("line.toml") == LINE_FILE.as_bytes(), "line.toml differs");
        let mut truth = Vec::new();
        for number in 1..=24 {
            let board = series.board(number);
            if number <= 2 {
                let picture = example(&format!("boards/{}", board.image));
                assert!(picture == board.shot.png().unwrap(), "{} differs", board.image);
            }
            truth.extend(board.truth);
        }
        assert!(example("truth.csv") == truth_table(&truth).as_bytes(), "truth.csv differs");
    }

    #[test]
    fn the_example_is_small_enough_to_carry() {
        let boards = (1..=24).map(|number| example(&format!("boards/board-{number:02}.png")));
        let bytes: usize =
            boards.map(|board| board.len()).sum::<usize>() + example("golden.png").len();
        assert!(bytes < 6_000_000, "{bytes} bytes");
    }
}
