import ArgumentParser

extension Option where Value == String? {
    /// An option with the path of a file.
    init(name: NameSpecification = .long, file help: String) {
        self.init(name: name, help: ArgumentHelp(help, valueName: "file"), completion: .file())
    }

    /// An option with the path of a folder.
    init(name: NameSpecification = .long, folder help: String) {
        self.init(name: name, help: ArgumentHelp(help, valueName: "dir"), completion: .directory)
    }
}

extension Option where Value == String {
    /// An option with the path of a file, which must be given.
    init(file help: String) {
        self.init(help: ArgumentHelp(help, valueName: "file"), completion: .file())
    }
}

extension Argument where Value == String {
    /// The path of a file; the name stands for it in the help.
    init(file help: String, name: String = "file") {
        self.init(help: ArgumentHelp(help, valueName: name), completion: .file())
    }
}
