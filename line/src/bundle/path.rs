//! Paths that are safe, and the same, on every system.

use std::collections::HashMap;

use super::BundleError;

/// A path may have so many bytes, and each of its names.
const PATH_MAX: usize = 1024;
const NAME_MAX: usize = 255;

/// Names that Windows keeps for devices, whatever stands behind a dot.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Checks that a path stays inside its folder and means one file on every system: relative, names
/// with `/` between them, none of them `.` or `..`, none that some system can't have.
///
/// # Errors
///
/// [`BundleError::Path`], with the reason.
///
/// ```
/// use lineside_line::bundle::check_path;
///
/// assert!(check_path("models/détecteur.onnx").is_ok());
/// for hostile in ["/etc/passwd", "a/../../b", "C:/boot.ini", "a\\b", "nul.txt", "a//b", ""] {
///     assert!(check_path(hostile).is_err());
/// }
/// ```
pub fn check_path(path: &str) -> Result<(), BundleError> {
    let refused = |why| Err(BundleError::Path(path.to_owned(), why));
    if path.is_empty() {
        return refused("is empty");
    }
    if path.len() > PATH_MAX {
        return refused("is too long");
    }
    if path.starts_with('/') {
        return refused("is absolute");
    }
    for name in path.split('/') {
        if let Some(why) = fault(name) {
            return refused(why);
        }
    }
    Ok(())
}

/// What is wrong with a name, if anything.
fn fault(name: &str) -> Option<&'static str> {
    let odd = |letter: char| letter.is_control() || "\\:*?\"<>|".contains(letter);
    match name {
        "" => Some("has an empty name"),
        "." | ".." => Some("leads elsewhere"),
        _ if name.len() > NAME_MAX => Some("has a name that is too long"),
        _ if name.contains(odd) => Some("has a character that some system does not allow"),
        _ if name.ends_with(['.', ' ']) => Some("has a name that ends in a dot or a space"),
        _ if is_device(name) => Some("has a name that Windows keeps for a device"),
        _ => None,
    }
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_lowercase();
    let numbered = ["com", "lpt"].iter().any(|device| {
        let number = stem.strip_prefix(device);
        let mut letters = number.into_iter().flat_map(str::chars);
        matches!((letters.next(), letters.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    });
    numbered || DEVICES.contains(&stem.as_str())
}

/// Checks that no two paths are one file where upper and lower case are the same, and that no file
/// is a folder of another.
pub(super) fn check_clashes<'p>(paths: impl Iterator<Item = &'p str>) -> Result<(), BundleError> {
    // What each path, and each folder above it, is without case.
    let mut files: HashMap<String, &str> = HashMap::new();
    let mut folders: HashMap<String, &str> = HashMap::new();
    let clash = |one: &str, other: &str| Err(BundleError::Clash(one.to_owned(), other.to_owned()));
    for path in paths {
        let folded = path.to_lowercase();
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            let known = *folders.entry(folder.to_lowercase()).or_insert(folder);
            if known != folder {
                return clash(known, folder);
            }
            if let Some(file) = files.get(&folder.to_lowercase()) {
                return clash(file, path);
            }
        }
        if let Some(folder) = folders.get(&folded) {
            return clash(folder, path);
        }
        if let Some(other) = files.insert(folded, path) {
            return clash(other, path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_out_or_mean_something_else_are_refused() {
        let long = "a/".repeat(600) + "b";
        let hostile = [
            "..",
            "../a",
            "a/..",
            "a/./b",
            "./a",
            "/a",
            "a/",
            "a//b",
            "C:a",
            "\\\\server\\a",
            "a\0b",
            "a\nb",
            "aux",
            "AUX.txt",
            "com1",
            "Lpt9.bin",
            "lpt²",
            "a.",
            "a ",
            "a/b.",
            "a*b",
            &long,
        ];
        for path in hostile {
            assert!(check_path(path).is_err(), "{path:?}");
        }
        for path in ["a", "a.b/c-d_e f", "图/缺陷.png", ".hidden", "command", "com10", "..a"] {
            assert!(check_path(path).is_ok(), "{path:?}");
        }
    }

    #[test]
    fn paths_that_are_one_file_somewhere_are_refused() {
        let clashes = |paths: &[&str]| check_clashes(paths.iter().copied()).is_err();
        assert!(clashes(&["a", "A"]));
        assert!(clashes(&["a/b", "A/c"]));
        assert!(clashes(&["a", "a/b"]));
        assert!(clashes(&["a/b", "A"]));
        assert!(!clashes(&["a/b", "a/c", "b", "ab"]));
    }
}
