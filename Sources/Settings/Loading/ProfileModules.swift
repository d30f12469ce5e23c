import Foundation
package import OperatingSystem

/// The folder with own screens and controls: an ES module for each class, `<Class>.js`.
package struct ProfileModules: Sendable, Hashable {
    package let folder: String
    /// The names of the classes.
    package let classes: Set<String>

    package static let maximumFiles = 200
    package static let maximumSize = 256 * 1024

    /// Looks at the folder's files; what they contain is up to the page.
    ///
    /// - Throws: With a sentence that begins with what it is about.
    package init(folder: String) throws(FileError) {
        self.folder = folder
        let names: [String]
        do throws(FileError) {
            names = try Folder.names(in: folder)
        } catch {
            throw FileError(message: "\(folder) \(error.message)")
        }
        // Editors and other systems leave files whose names begin with a dot.
        let modules = names.filter { $0.hasSuffix(".js") && !$0.hasPrefix(".") }.sorted()
        guard modules.count <= Self.maximumFiles else {
            let found = "must have at most \(Self.maximumFiles) modules (has \(modules.count))"
            throw FileError(message: "\(folder) \(found)")
        }
        var classes: Set<String> = []
        for module in modules {
            let path = "\(folder)/\(module)"
            let name = String(module.dropLast(3))
            guard Self.isClass(name) else {
                let legal =
                    "must be named after its class: letters, digits and _, at most 100, no digit first"
                throw FileError(message: "\(path) \(legal)")
            }
            let file = Self.resolved(path) ?? path
            guard Self.isServed(file, in: Self.resolved(folder) ?? folder) else {
                let reason =
                    "is a link to a file outside of the folder, or to a hidden one, which is not served"
                throw FileError(message: "\(path) \(reason)")
            }
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
                let type = attributes[.type] as? FileAttributeType, type == .typeRegular,
                let size = attributes[.size] as? NSNumber
            else { throw FileError(message: "\(path) is no plain file") }
            guard size.intValue <= Self.maximumSize else {
                throw FileError(message: "\(path) is larger than \(Self.maximumSize) bytes")
            }
            classes.insert(name)
        }
        self.classes = classes
    }

    /// The path with all symbolic links followed; `nil` if there is nothing.
    private static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// The rule of the web listener for its folders.
    private static func isServed(_ file: String, in folder: String) -> Bool {
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        guard file.hasPrefix(prefix) else { return false }
        return !file.dropFirst(prefix.count).split(separator: "/").contains { $0.hasPrefix(".") }
    }

    private static func isClass(_ name: String) -> Bool {
        name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]{0,99}/) != nil
    }
}
