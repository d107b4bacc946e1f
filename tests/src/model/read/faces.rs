//! `[[face]]`: a job with `face` stands for one job a face. Done on the tables, before they are
//! read.

use std::collections::BTreeMap;

use toml::{Table, Value};

/// Puts jobs in the place of patterns; the faces are gone afterwards.
pub(super) fn expand(mut file: Table) -> Result<Table, String> {
    let faces = faces(file.remove("face"))?;
    let Some(Value::Array(jobs)) = file.get_mut("job") else { return Ok(file) };
    let mut patterns = BTreeMap::new();
    for job in jobs.iter() {
        if let (Some(name), Some(face)) = (job.get("name").and_then(Value::as_str), job.get("face"))
        {
            patterns.insert(name.to_owned(), chosen(&faces, face)?);
        }
    }
    let mut expanded = Vec::new();
    for job in jobs.drain(..) {
        match job.get("face") {
            None => expanded.push(beside(job, &patterns)),
            Some(face) => {
                for face in chosen(&faces, face)? {
                    let said = &faces.iter().find(|(name, _)| *name == face).expect("chosen").1;
                    expanded.push(made(job.clone(), &face, said, &patterns)?);
                }
            }
        }
    }
    *jobs = expanded;
    Ok(file)
}

type Patterns = BTreeMap<String, Vec<String>>;

fn faces(value: Option<Value>) -> Result<Vec<(String, Table)>, String> {
    let list = match value {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err("`face` is a list of tables".to_owned()),
    };
    let mut faces: Vec<(String, Table)> = Vec::new();
    for face in list {
        let Value::Table(table) = face else { return Err("a face is a table".to_owned()) };
        let name = table.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        if name.is_empty() || faces.iter().any(|(other, _)| *other == name) {
            return Err(format!("the name {name:?} of a face"));
        }
        let sound = match table.get("match") {
            None | Some(Value::String(_)) => true,
            Some(Value::Table(fields)) => fields.values().all(Value::is_str),
            Some(_) => false,
        };
        if !sound {
            return Err(format!("`match` of {name}"));
        }
        faces.push((name, table));
    }
    Ok(faces)
}

/// The names of the faces that a job is for, in the order of the faces.
fn chosen(faces: &[(String, Table)], face: &Value) -> Result<Vec<String>, String> {
    let all = || faces.iter().map(|(name, _)| name.clone());
    let asked: Vec<&str> = match face {
        Value::String(name) if name == "*" => return Ok(all().collect()),
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return Err("`face` is text, or a list of it".to_owned()),
    };
    if let Value::Array(names) = face
        && names.len() != asked.len()
    {
        return Err("`face` lists text".to_owned());
    }
    if let Some(unknown) = asked.iter().find(|name| !all().any(|known| known == **name)) {
        return Err(format!("no face {unknown:?}"));
    }
    Ok(all().filter(|name| asked.contains(&name.as_str())).collect())
}

/// The upstream of an edge.
fn upstream(edge: &mut Value) -> Option<&mut String> {
    match edge {
        Value::String(name) => Some(name),
        Value::Table(table) => match table.get_mut("job") {
            Some(Value::String(name)) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

fn beside(mut job: Value, patterns: &Patterns) -> Value {
    let Some(Value::Array(after)) = job.get_mut("after") else { return job };
    let mut edges = Vec::new();
    for edge in after.drain(..) {
        let chosen = upstream(&mut edge.clone()).and_then(|name| patterns.get(name).cloned());
        let Some(chosen) = chosen else {
            edges.push(edge);
            continue;
        };
        for face in chosen {
            let mut edge = edge.clone();
            if let Some(name) = upstream(&mut edge) {
                *name = format!("{face}-{name}");
            }
            edges.push(edge);
        }
    }
    *after = edges;
    job
}

fn made(mut job: Value, face: &str, said: &Table, patterns: &Patterns) -> Result<Value, String> {
    let Value::Table(table) = &mut job else { return Ok(job) };
    table.remove("face");
    if let Some(Value::String(name)) = table.get_mut("name")
        && !name.is_empty()
    {
        *name = format!("{face}-{name}");
    }
    if !table.contains_key("images") && !table.contains_key("after") {
        let glob = said.get("match").filter(|value| value.is_str());
        if let Some(images) = said.get("images").or(glob) {
            table.insert("images".to_owned(), images.clone());
        }
    }
    for (key, value) in table.iter_mut() {
        if key == "after"
            && let Value::Array(edges) = value
        {
            for edge in edges {
                if let Some(name) = upstream(edge)
                    && patterns.get(name).is_some_and(|chosen| chosen.iter().any(|it| it == face))
                {
                    *name = format!("{face}-{name}");
                }
            }
        } else if key != "name" {
            fill(value, said)?;
        }
    }
    Ok(job)
}

/// What a face says, in the place of `{face}` and `{face.KEY}`.
fn fill(value: &mut Value, said: &Table) -> Result<(), String> {
    match value {
        Value::String(text) => {
            for (key, own) in said {
                let names = [format!("{{face.{key}}}"), "{face}".to_owned()];
                let names = if key == "name" { &names[..] } else { &names[..1] };
                for name in names {
                    if text == name {
                        *value = own.clone();
                        return Ok(());
                    }
                    let own = match own {
                        Value::String(own) => own.clone(),
                        Value::Integer(own) => own.to_string(),
                        _ => continue,
                    };
                    *text = text.replace(name, &own);
                }
            }
            if text.contains("{face.") {
                return Err(format!("{text:?} asks for what a face does not say"));
            }
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, said)),
        Value::Table(table) => table.iter_mut().try_for_each(|(_, item)| fill(item, said)),
        _ => Ok(()),
    }
}
