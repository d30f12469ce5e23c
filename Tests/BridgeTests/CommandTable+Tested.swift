import Controller

extension CommandTable {
    /// All commands of the controller.
    static let tested = CommandTable(CommandDescriptor.core + [.lifecycleSet, .screenSet])
}
