//! Where the program of a broker is.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Names the program itself; then no other is looked for.
const CHOSEN: &str = "ODEON_RABBITMQ_SERVER";
/// The folder that a broker was unpacked to.
const HOME: &str = "RABBITMQ_HOME";
const NAME: &str = "rabbitmq-server";

/// Where distributions keep the script that runs as whoever calls it, and not as a user of its own.
const SCRIPTS: [&str; 3] = [
    "/usr/lib/rabbitmq/bin/rabbitmq-server",
    "/usr/local/sbin/rabbitmq-server",
    "/opt/homebrew/sbin/rabbitmq-server",
];

/// What distributions have in the path asks this, and runs the broker as that user, who may not
/// write to another one's folder.
const OF_ANOTHER_USER: &str = "id -u rabbitmq";

/// The script that starts a broker; else, in words, that there is none, and where it was looked
/// for.
pub(super) fn find() -> Result<PathBuf, String> {
    let known: Vec<PathBuf> = SCRIPTS.iter().map(PathBuf::from).collect();
    find_by(|name| env::var_os(name).filter(|value| !value.is_empty()), &known)
}

fn find_by(
    variable: impl Fn(&str) -> Option<OsString>,
    known: &[PathBuf],
) -> Result<PathBuf, String> {
    let is_not = |what: String| Err(format!("{NAME} is not installed: {what}"));
    if let Some(chosen) = variable(CHOSEN) {
        let chosen = PathBuf::from(chosen);
        return match chosen.is_file() {
            true => Ok(chosen),
            false => {
                is_not(format!("${CHOSEN} is {}, and there is no such file", chosen.display()))
            }
        };
    }
    let home = variable(HOME).map(|home| Path::new(&home).join("sbin").join(NAME));
    let mut places: Vec<PathBuf> = home.into_iter().chain(known.iter().cloned()).collect();
    let path = variable("PATH").unwrap_or_default();
    places.extend(env::split_paths(&path).map(|folder| folder.join(NAME)));
    if let Some(found) = places.iter().find(|place| runs_as_the_caller(place)) {
        return Ok(found.clone());
    }
    let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    is_not(format!("looked for {}; ${CHOSEN} may say where it is", places.join(", ")))
}

fn runs_as_the_caller(script: &Path) -> bool {
    let text = fs::read(script).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    text.is_ok_and(|text| !text.contains(OF_ANOTHER_USER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broker_is_found_where_its_user_has_it() {
        let root = env::temp_dir().join(format!("odeon-broker-script-{}", std::process::id()));
        let place = |folder: &str, text: &str| {
            let folder = root.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(NAME), text).unwrap();
            folder.join(NAME)
        };
        let [chosen, home, in_path] =
            ["chosen", "home/sbin", "path"].map(|folder| place(folder, "#!/bin/sh\n"));
        let wrapper = place("wrapped", "if [ `id -u` = `id -u rabbitmq` ] ; then su rabbitmq; fi");
        let folder = |script: &Path| script.parent().unwrap().to_owned();
        let find = |set: &[(&str, &Path)]| {
            let of = |name: &str| set.iter().find(|(variable, _)| *variable == name);
            let found = find_by(|name| Some(of(name)?.1.into()), &[root.join("known")]);
            found.map_err(|why| why.replace(&root.display().to_string(), "ROOT"))
        };
        let (home_folder, path) = (root.join("home"), folder(&in_path));
        let all = [(CHOSEN, &*chosen), (HOME, &*home_folder), ("PATH", &*path)];
        assert_eq!(find(&all), Ok(chosen.clone()));
        assert_eq!(find(&all[1..]), Ok(home));
        assert_eq!(find(&all[2..]), Ok(in_path.clone()));
        let two = env::join_paths([folder(&wrapper), path.clone()]).unwrap();
        assert_eq!(find(&[("PATH", Path::new(&two))]), Ok(in_path));

        let none = "rabbitmq-server is not installed: looked for ROOT/known, \
                    ROOT/wrapped/rabbitmq-server; $ODEON_RABBITMQ_SERVER may say where it is";
        assert_eq!(find(&[("PATH", &folder(&wrapper))]), Err(none.to_owned()));
        let wrong = "rabbitmq-server is not installed: $ODEON_RABBITMQ_SERVER is ROOT/none, and there is no such file";
        assert_eq!(find(&[(CHOSEN, &root.join("none")), all[1], all[2]]), Err(wrong.to_owned()));
        fs::remove_dir_all(&root).unwrap();
    }
}
